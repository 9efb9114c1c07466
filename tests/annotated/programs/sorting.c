// Recursion above tasks: who divides is a plain function, the leaves and the merging are tasks.
#include <stdio.h>
#include <stdlib.h>

enum { leaf = 256 };

static int before(const void *a, const void *b) { return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b); }

#pragma css task inout(at[n])
static void sort_leaf(int *at, long n) { qsort(at, (size_t)n, sizeof *at, before); }

#pragma css task input(a[n], b[m]) output(to[n + m])
static void merge(const int *a, long n, const int *b, long m, int *to) {
  long i = 0, j = 0;
  while (i + j < n + m) {
    if (j == m || (i < n && a[i] <= b[j])) {
      to[i + j] = a[i];
      ++i;
    } else {
      to[i + j] = b[j];
      ++j;
    }
  }
}

#pragma css task input(from[n]) output(to[n])
static void keep(const int *from, int *to, long n) {
  for (long i = 0; i < n; ++i) to[i] = from[i];
}

static void sort(int *at, int *spare, long n) {
  if (n <= leaf) {
    sort_leaf(at, n);
    return;
  }
  const long half = n / 2;
  sort(at, spare, half), sort(at + half, spare + half, n - half);
  merge(at, half, at + half, n - half, spare);
  keep(spare, at, n);
}

int main(void) {
  enum { n = 20000 };
  int *all = malloc(n * sizeof *all), *spare = malloc(n * sizeof *spare);
  unsigned seed = 1;
  long sum = 0;
  for (int i = 0; i < n; ++i) all[i] = (int)((seed = seed * 1103515245 + 12345) >> 4);
  sort(all, spare, n);
#pragma css wait on(all)
  for (int i = 0; i < n; ++i) {
    if (i && all[i - 1] > all[i]) return printf("not sorted at %d\n", i), 1;
    sum = (sum * 7 + all[i]) % 100003;
  }
  printf("%ld\n", sum);
  free(all), free(spare);
  return 0;
}
