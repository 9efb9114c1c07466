// 3:15: error: a task is declared outside of functions, in front of its own
int main(void) {
  #pragma css task
  return 0;
}
