// Many messages that nobody waits for yet, of all lengths: unexpected [COUNT [TAGS]].
#include <stdlib.h>
#include <string.h>

#include "expect.h"

static size_t length_of(int i) { return i % 50 == 7 ? 5000 + (size_t)(i % 300) : (size_t)(i % 40); }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int count = argc > 1 ? atoi(argv[1]) : 5000, tags = argc > 2 ? atoi(argv[2]) : 2,
            left = (me + ranks - 1) % ranks, right = (me + 1) % ranks;
  char* const out = malloc((size_t)count + 6000);
  for (int i = 0; i < count + 6000; ++i) out[i] = (char)(i * 7 + i / 256);
  MPI_Request* const sent = malloc((size_t)count * sizeof *sent);
  for (int i = 0; i < count; ++i)
    MPI_Isend(out + i, (int)length_of(i), MPI_CHAR, right, i % tags, MPI_COMM_WORLD, &sent[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  char in[6000];
  // First those of the last tag, each in the order in which they were sent. A receive passes by all of other tags that
  // came before, so with several tags the time grows with the square of COUNT.
  for (int tag = tags - 1; tag >= 0; --tag)
    for (int i = tag; i < count; i += tags) {
      MPI_Status status;
      int length;
      MPI_Recv(in, sizeof in, MPI_CHAR, left, tag, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_CHAR, &length);
      EXPECT_EQUAL(length, length_of(i));
      EXPECT_EQUAL(memcmp(in, out + i, length_of(i)), 0);
    }
  MPI_Waitall(count, sent, MPI_STATUSES_IGNORE);
  free(out);
  free(sent);
  return end();
}
