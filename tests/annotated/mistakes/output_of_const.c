// 2:25: error: 'a' points to const data, so it is input and not output
#pragma css task output(a[3])
void f(const float *a) { (void)a; }
