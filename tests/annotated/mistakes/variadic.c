// 2:13: error: 'f' has a variable number of arguments, which no task can have
#pragma css task input(n)
void f(int n, ...) { (void)n; }
