// 4:15: error: expected 'wait on(...)'; 'barrier' waits for all tasks
int main(void) {
  int x = 0;
  #pragma css wait(x)
  return x;
}
