// 2:24: error: the size 'm' of 'a' counts nothing: use of undeclared identifier 'm'
#pragma css task inout(a[m])
void f(float *a, int n) { a[0] = (float)n; }
