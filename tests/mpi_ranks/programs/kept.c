// What strtok, gmtime and their like keep is each rank's: others call them between two calls of a rank.
#define _GNU_SOURCE
#include <time.h>

#include "expect.h"

static void others_run(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void words(void) {
  char text[200] = "", *word;
  for (int i = 0; i < 10; ++i) snprintf(text + strlen(text), 20, "%d,%s", 100 * me + i, i % 3 ? "" : " ");
  int found = 0;
  for (word = strtok(text, ", "); word; word = strtok(NULL, ", ")) {
    EXPECT_EQUAL(atoi(word), 100 * me + found);
    ++found;
    others_run();
  }
  EXPECT_EQUAL(found, 10);
  EXPECT(strtok(NULL, ",") == NULL);
}

static void times(void) {
  setenv("TZ", "UTC-1", 1);  // of the process; all say the same
  others_run();
  const time_t mine = 86400L * 365 * me + 3661;
  struct tm expected;
  char text[26];
  gmtime_r(&mine, &expected);
  const struct tm* const there = gmtime(&mine);
  others_run();
  EXPECT(there->tm_year == expected.tm_year && there->tm_yday == expected.tm_yday && there->tm_hour == 1);
  localtime_r(&mine, &expected);
  const struct tm* const local = localtime(&mine);
  others_run();
  EXPECT(local->tm_year == expected.tm_year && local->tm_yday == expected.tm_yday && local->tm_hour == 2);
  asctime_r(&expected, text);
  const char* const written = asctime(&expected);
  others_run();
  EXPECT_EQUAL(strcmp(written, text), 0);
  const char* const again = ctime(&mine);
  others_run();
  EXPECT_EQUAL(strcmp(again, text), 0);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  words();
  times();
  return end();
}
