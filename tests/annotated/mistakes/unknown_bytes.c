// 2:24: error: 'a' is void*: say how many bytes it points to, as in inout(a[bytes])
#pragma css task inout(a)
void f(void *a) { (void)a; }
