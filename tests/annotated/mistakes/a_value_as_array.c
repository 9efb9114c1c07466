// 2:24: error: 'n' is one value and no array
#pragma css task input(n[3])
void f(int n) { (void)n; }
