// A chain that much waits for goes first; a task without data; an incomplete type that is passed on.
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <tgmath.h>

struct hidden;
static atomic_int ran;

#pragma css task highpriority inout(state)
void advance(uint64_t *state) { *state = *state * UINT64_C(6364136223846793005) + 1; }

#pragma css task input(state) inout(sum)
void use(const uint64_t *state, double *sum) { *sum += sqrt((double)(*state >> 40)); }

#pragma css task
void count(void) { atomic_fetch_add(&ran, 1); }


int main(void) {
  uint64_t state = 42;
  double sums[4] = {0};
  for (int i = 0; i < 200; ++i) {
    advance(&state);
    use(&state, &sums[i % 4]);
    count();
  }
#pragma css barrier
  printf("%.6f %.6f %.6f %.6f %d\n", sums[0], sums[1], sums[2], sums[3], (int)ran);
  return 0;
}
