// 2:24: error: the size 'x' of 'a' counts nothing: array subscript is not an integer
#pragma css task inout(a[x])
void f(float *a, float x) { a[0] = x; }
