// 2:25: error: 'n' is passed by value, so 'f' cannot give it back; pass its address
#pragma css task output(n)
void f(int n) { (void)n; }
