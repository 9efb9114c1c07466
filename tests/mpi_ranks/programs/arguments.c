// Each rank reads words of its own by getopt, a word at a time, while the others do.
#include <getopt.h>
#include <string.h>

#include "expect.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char size[32], name[32], *words[] = {"arguments", "first", "-ab", size, "--name", name, "last", "-c", NULL};
  snprintf(size, sizeof size, "-s%d", me);
  snprintf(name, sizeof name, "rank-%d", me);
  const struct option known[] = {{"name", required_argument, NULL, 'n'}, {NULL, 0, NULL, 0}};
  const char expected[] = "absnc";
  for (int turn = 0; turn < 3; ++turn) {
    size_t read = 0;
    optind = turn == 0 ? 1 : 0;  // 0: anew
    for (int letter; (letter = getopt_long(8, words, "abcs:", known, NULL)) != -1;) {
      EXPECT_EQUAL(letter, expected[read]);
      ++read;
      if (letter == 's') EXPECT_EQUAL(atoi(optarg), me);
      if (letter == 'n') EXPECT_EQUAL(strcmp(optarg, name), 0);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    EXPECT_EQUAL(read, 5);
    // What is no option stands behind the options.
    EXPECT_EQUAL(optind, 6);
    EXPECT_EQUAL(strcmp(words[6], "first") + strcmp(words[7], "last"), 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return end();
}
