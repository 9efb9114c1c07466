/* Calls in all places where an expression may stand; names that are also other things; text that looks like a pragma. */
#include <stdio.h>
#define CALL(f, ...) (f)(__VA_ARGS__)
#define STEP(k) step(&value[(k) % 3], k)

static int value[3];

#pragma css task \
    input(by)    \
    inout(x)
static void step(int *x, int by) { *x = *x * 3 + by; }

#pragma css task output(x)
static void clear(int *x) { *x = 0; }

struct other {
  int step; /* not the function */
  void (*call)(int *, int);
};

int main(void) {
  struct other o = {4, NULL};
  int i;
  const char *text = "#pragma css nonsense";
#pragma css start
  for (i = 0, clear(&value[0]); i < 30; ++i, STEP(i)) {
    i % 2 ? step(&value[1], o.step) : clear(&value[2]);
    if (i % 5 == 0) step(value, ((void)o.step, i));
    else
      (void)0, step(value + i % 3, i);
  }
  {
    int step = o.step; /* hides the function */
    value[0] += 0 * step;
  }
#pragma css wait on(&value[0], &value[1], &value[2])
  for (i = 0; i < 3; ++i) value[i] %= 10007;
  STEP(1), STEP(2);
#pragma css finish
  printf("%d %d %d %s\n", value[0], value[1], value[2], text);
#pragma css start
  STEP(0);
#pragma css finish
  printf("%d %d\n", value[0], __LINE__);
  return 0;
}
