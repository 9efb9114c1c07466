/* Pointers to pointers: a task names the table of pointers, or what one of them points to. */
#include <stdio.h>
#include <stdlib.h>

#pragma css task input(from[n], n) inout(to[n])
void add(const int *from, int *to, int n) {
  for (int i = 0; i < n; ++i) to[i] += from[i] + 1;
}

#pragma css task input(count) inout(rows[count])
void turn(int **rows, int count) {
  for (int i = 0; i < count / 2; ++i) {
    int *const other = rows[i];
    rows[i] = rows[count - 1 - i];
    rows[count - 1 - i] = other;
  }
}

#pragma css task output(where)
void point(int **where, void *at) { *where = at; }

int main(void) {
  enum { rows = 6, n = 500 };
  int **table = malloc(rows * sizeof *table);
  for (int r = 0; r < rows; ++r) {
    table[r] = calloc(n, sizeof **table);
    table[r][r] = r;
  }
  for (int step = 0; step < 5; ++step) {
    for (int r = 1; r < rows; ++r) add(table[r - 1], table[r], n);
    turn(table, rows);
#pragma css wait on(table)
  }
  int *third = NULL;
  point(&third, table[3]);
#pragma css barrier
  long sum = 0;
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < n; ++i) sum = (sum * 31 + table[r][i]) % 1000003;
  printf("%ld %d\n", sum, third == table[3]);
  for (int r = 0; r < rows; ++r) free(table[r]);
  free(table);
  return 0;
}
