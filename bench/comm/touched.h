// Data that the sender of a message writes whole, and the receiver reads whole.
#pragma once

#include <stddef.h>

/// Writes numbers that tell this turn's data from any other's.
static inline void write_all(double* data, size_t count, int turn) {
  for (size_t i = 0; i < count; ++i) data[i] = turn + (double)i;
}

/// Gives whether they are that turn's.
static inline int are_right(const double* data, size_t count, int turn) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += data[i];
  return sum == (double)count * turn + (double)count * (double)(count - 1) / 2;
}
