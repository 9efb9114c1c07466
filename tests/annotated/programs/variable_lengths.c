// Arrays of variable length as parameters, restrict, static, qualifiers in the brackets, sizes that are expressions.
#include <stdio.h>

#pragma css task input(n, m, a, x) output(y[n])
void apply(int n, int m, double a[restrict n][m], const double x[restrict static m], double *restrict y) {
  for (int i = 0; i < n; ++i) {
    y[i] = 0;
    for (int j = 0; j < m; ++j) y[i] += a[i][j] * x[j];
  }
}

#pragma css task input(n, from) inout(to[(n + 1) / 2 * 2 - (n % 2)])
void accumulate(int n, double from[const n], double *to) {
  for (int i = 0; i < n; ++i) to[i] += from[i];
}

int main(void) {
  enum { n = 60, m = 45 };
  double a[n][m], x[8][m], y[n], sum[n];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[i][j] = (i * 7 + j * 3) % 11;
  for (int i = 0; i < n; ++i) sum[i] = 0;
  for (int k = 0; k < 8; ++k)
    for (int j = 0; j < m; ++j) x[k][j] = k + j % 5;
  for (int k = 0; k < 8; ++k) {
    apply(n, m, a, x[k], y);  // y gets other memory while it is still read
    accumulate(n, y, sum);
  }
#pragma css barrier
  double all = 0;
  for (int i = 0; i < n; ++i) all += sum[i] * (i + 1);
  printf("%.0f\n", all);
  return 0;
}
