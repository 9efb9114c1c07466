// The sum of an array of vectors, as a tree (CellSs, Scientific Programming 17, section 6 and figure 6): first each
// second vector is added to the one before it, then each second one of these sums, and so on.
//
//     cc -O3 reduct.c -o reduct -lm            the serial program
//     maslin-cc -O3 reduct.c -o reduct -lm     each call of `add` is a task

#include "program.h"

#pragma css task input(from[length]) inout(to[length])
void add(float* restrict to, const float* restrict from, int length) {
  for (int i = 0; i < length; ++i) to[i] += from[i];
}

/// Gives how far the sum is off, relative to the sum of the absolute values.
static struct worst check(const float* sum, int vectors, int length) {
  struct worst worst = {0};
  for (int i = 0; i < length; ++i) {
    double exact = 0, absolute = 0;
    for (int v = 0; v < vectors; ++v) {
      const double x = input_element(0, (uint64_t)v, (uint64_t)i);
      exact += x, absolute += fabs(x);
    }
    compare(&worst, 0, i, sum[i], exact, absolute);
  }
  return worst;
}

int main(int argc, char** argv) {
  int vectors = 1024, length = 4096;
  read_options("reduct", argc, argv, (struct number[]){{"--vectors", &vectors}, {"--length", &length}}, 2);
  float** const v = allocate((size_t)vectors, sizeof *v);
  for (int i = 0; i < vectors; ++i) {
    v[i] = allocate((size_t)length, sizeof(float));
    for (int k = 0; k < length; ++k) v[i][k] = input_element(0, (uint64_t)i, (uint64_t)k);
  }

#pragma css start
  start_clock();
  for (long step = 1; step < vectors; step *= 2)
    for (long i = 0; i + step < vectors; i += 2 * step) add(v[i], v[i + step], length);
#pragma css barrier
  stop_clock();

  if (program.spoil) v[0][length / 2] += 1;
  printf("reduct: %d vectors of %d\n", vectors, length);
  struct result result = begin_result();
  for (int k = 0; k < length; ++k) add_to_result(&result, v[0][k]);
  end_result(&result);
  return report(program.check ? check(v[0], vectors, length) : (struct worst){0},
                rounding_bound(ceil(log2(vectors)) + 1));
}
