// 4:13: error: 'f' is declared otherwise at two_opinions.c:2
#pragma css task input(a)
void f(int *a);
#pragma css task inout(a)
void f(int *a) { *a = 1; }
