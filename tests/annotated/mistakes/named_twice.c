// 2:24: error: 'a' is named twice; what is read and written is inout
#pragma css task input(a) output( a)
void f(int *a) { *a = 1; }
