// 2:27: error: 'inuot' means nothing here; did you mean inout?
#pragma css task input(n) inuot(a[n])
void f(float *a, int n) { a[0] = (float)n; }
