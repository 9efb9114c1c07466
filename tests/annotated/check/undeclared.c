#define _POSIX_C_SOURCE 200809L  // posix_memalign
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 8 };
int total[2];
static const int table[3] = {1, 2, 3};

#pragma css task input(a[4]) output(b[4])
void wrong(const int *a, int *b, int which, void *aligned, void *paged) {
  int own[4];
  int *const heap = malloc(16);
  memcpy(own, a, sizeof own);
  memcpy(heap, own, sizeof own);
  own[0] += table[which % 3];
  if (which == 1) b[0] = b[1] + own[0];  // CHECK reads element 1 of 'b', which is output, before it wrote that
  if (which == 2) ((int *)a)[2] = own[0];  // CHECK writes element 2 of 'a', which is input
  if (which == 3) b[0] = a[4] + own[0];  // CHECK reads byte 16 of a block of 32 bytes, which it did not declare
  if (which == 4) b[0] = total[1];  // CHECK reads the variable 'total', which it did not declare
  if (which == 5) memset(b, 0, 5 * sizeof *b);  // CHECK writes a variable of a function that is not done, which it did not declare
  if (which == 6) b[0] = ((int *)aligned)[3];  // CHECK reads byte 12 of a block of 64 bytes, which it did not declare
  if (which == 7) ((int *)paged)[1] = 5;  // CHECK writes byte 4 of a block of 4096 bytes, which it did not declare
  for (int i = 0; i < 4; ++i) b[i] = own[i] + heap[i];
  b[0] += b[1];
  free(heap);
}

int main(void) {
  int *const a = calloc(n, sizeof *a), b[n];
  void *const aligned = memset(aligned_alloc(64, 64), 0, 64), *paged;
  if (posix_memalign(&paged, 4096, 4096)) return 2;
  for (int which = 0; which < 8; ++which) wrong(a, b, which, aligned, paged);
#pragma css barrier
  printf("%d\n", b[0]);
  free(a), free(aligned), free(paged);
  return 0;
}
