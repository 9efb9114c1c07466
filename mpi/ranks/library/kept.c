// Functions of the C library that go on from, or give, a place of their own: one for a process, whose ranks would
// change it under each other. Each rank has a place of its own.
#define _DEFAULT_SOURCE
#include <string.h>
#include <time.h>

// A program may have functions of these names itself.
#define OURS __attribute__((visibility("hidden"), weak))

static char* rest;

OURS char* strtok(char* text, const char* between) { return strtok_r(text, between, &rest); }

static struct tm parts;
static char written[26];

OURS struct tm* gmtime(const time_t* at) { return gmtime_r(at, &parts); }
OURS struct tm* localtime(const time_t* at) {
  tzset();  // localtime_r need not
  return localtime_r(at, &parts);
}
OURS char* asctime(const struct tm* of) { return asctime_r(of, written); }
OURS char* ctime(const time_t* at) {
  const struct tm* const local = localtime(at);
  return local ? asctime(local) : NULL;
}
