// 2:24: error: how large is 'a'? Say so, as in inout(a[n])
#pragma css task inout(a)
void f(int a[]) { a[0] = 1; }
