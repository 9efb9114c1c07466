// 2:13: error: a task gives nothing, so 'f' must be a function of type void
#pragma css task inout(a)
int f(int *a) { return *a; }
