// 2:24: error: expected ')' behind 'a', found the end of the line
#pragma css task inout(a
void f(int *a) { *a = 1; }
