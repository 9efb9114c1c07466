// 3:1: error: 'b' is no parameter of 'f'; it has a
#define LIST b
#pragma css task input(LIST)
void f(int *a) { (void)a; }
