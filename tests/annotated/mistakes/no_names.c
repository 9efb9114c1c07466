// 2:13: error: the parameters of 'f' have no names here; give them, so that the clauses can name them
#pragma css task input(a)
void f(int *);
