// 2:34: error: the size 'n +' of 'a' counts nothing: expected expression
#pragma css task input(n)  inout(a[n +])
void f(float *a, int n) { a[0] = (float)n; }
