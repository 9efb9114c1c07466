// 2:27: error: 'b' is no parameter of 'f'; it has a, n
#pragma css task input(n, b) inout(a[n])
void f(float *a, int n) { a[0] = (float)n; }
