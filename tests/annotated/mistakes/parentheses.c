// 6:4: error: the task 'f' is called in another way than as f(...)
#pragma css task inout(a)
void f(int *a) { *a = 1; }
int main(void) {
  int x;
  (f)(&x);
  return 0;
}
