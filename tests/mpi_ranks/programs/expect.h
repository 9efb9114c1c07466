// What the programs here share: a wrong value ends the job.
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, ranks;

#define EXPECT_EQUAL(found, expected)                                                                             \
  do {                                                                                                            \
    const long long found_value = (long long)(found), expected_value = (long long)(expected);                     \
    if (found_value != expected_value) {                                                                          \
      fprintf(stderr, "%s:%d: rank %d: %s is %lld; expected %lld\n", __FILE__, __LINE__, me, #found, found_value, \
              expected_value);                                                                                    \
      MPI_Abort(MPI_COMM_WORLD, 70);                                                                              \
    }                                                                                                             \
  } while (0)
#define EXPECT(condition) EXPECT_EQUAL(!!(condition), 1)

static inline void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}
static inline int end(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) printf("all is right\n");
  MPI_Finalize();
  return 0;
}
