// 2:13: error: 'b' of 'f' is a pointer, and no clause says whether it is input, output or inout; one that is only passed on is void*
#pragma css task input(a)
void f(int *a, int *b) { *b = *a; }
