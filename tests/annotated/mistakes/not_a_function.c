// 2:13: error: expected a function behind this line
#pragma css task inout(a)
int a;
