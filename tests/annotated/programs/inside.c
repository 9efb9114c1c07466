/* A task's function that calls another's runs it as a plain call; so does a helper that both call. */
#include <stdio.h>

#pragma css task input(by) inout(x)
void add(int *x, int by) { *x += by; }

static void add_twice(int *x, int by) {
  add(x, by);
  add(x, by);
}

#pragma css task input(from) inout(to)
void combine(const int *from, int *to) {
  add(to, *from);
  *to *= 2;
  add_twice(to, 1);
  *to += *from;
#pragma css barrier
  *to ^= 5;
}

int main(void) {
  static int x[50];
  long sum = 0;
  int step, i;
  for (step = 0; step < 4; ++step)
    for (i = 0; i < 50; ++i) {
      add_twice(&x[i], i);
      combine(&x[(i + 49) % 50], &x[i]);
    }
#pragma css barrier
  for (i = 0; i < 50; ++i) sum = (sum * 13 + x[i]) % 999983;
  printf("%ld\n", sum);
  return 0;
}
