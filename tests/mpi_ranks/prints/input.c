/* Counts the lines of standard input, read in the way that is named. The last rank reads first, and rank 0 last. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static int lines_of(const char *way, const char *file) {
  int lines = 0, c, number;
  char text[100];
  if (strcmp(way, "fgets") == 0)
    while (fgets(text, sizeof text, stdin)) ++lines;
  if (strcmp(way, "getchar") == 0)
    while ((c = getchar()) != EOF) lines += c == '\n';
  if (strcmp(way, "called getchar") == 0) {
    int (*const volatile call)(void) = getchar; /* no header puts another in its place */
    while ((c = call()) != EOF) lines += c == '\n';
  }
  if (strcmp(way, "scanf") == 0)
    while (scanf("%d", &number) == 1) ++lines;
  if (strcmp(way, "getwchar") == 0)
    for (wint_t w; (w = getwchar()) != WEOF;) lines += w == L'\n';
  if (strcmp(way, "read") == 0)
    for (ssize_t bytes; (bytes = read(0, text, sizeof text)) > 0;)
      for (ssize_t i = 0; i < bytes; ++i) lines += text[i] == '\n';
  if (strcmp(way, "freopen") == 0 && freopen(file, "r", stdin))
    while (fgets(text, sizeof text, stdin)) ++lines;
  return lines;
}

int main(int argc, char **argv) {
  int me, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  for (int rank = all - 1; rank >= 0; --rank) {
    if (rank == me) printf("%d has %d\n", me, lines_of(argv[1], argv[2]));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
