/* C as it was in 1990. */
#include <stdio.h>

typedef float line[64];

#pragma css task input(first, last) inout(a)
void sweep(line *a, register int first, int last)
{
  register int i;
  for (i = first; i < last; i++) (*a)[i] = (*a)[i] * 0.5f + 1;
}

extern void report(line *a, int *count);

int main()
{
  static line lines[16];
  int i, k, count = 0;
  for (k = 0; k < 6; k++)
    for (i = 0; i < 16; i++) sweep(&lines[i], i, 64 - k);
  report(&lines[3], &count);
  report(&lines[15], &count);
#pragma css barrier
  printf("%d\n", count);
  return 0;
}

#pragma css task input(a) inout(count)
void report(line *a, int *count)
{
  int i;
  for (i = 0; i < 64; i++) *count += (int)((*a)[i] * 1000);
}
