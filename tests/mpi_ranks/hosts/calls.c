/* The same of a program in C: bytes go there and back. A word says which mistake is made. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUST(what) \
  if (!(what)) printf("%s:%d: %s is not so\n", __FILE__, __LINE__, #what), MPI_Abort(MPI_COMM_WORLD, 1)

static int lines = 0;

static int append(const void* line, int bytes, void* number, int room) {
  if (bytes == 0) return -7;
  MUST(room >= (int)sizeof lines && ((const char*)line)[0] != '\0');
  ++lines;
  memcpy(number, &lines, sizeof lines);
  return sizeof lines;
}
static int fail(const void* what, int bytes, void* result, int room) {
  (void)result;
  if (bytes == 1 && !memcmp(what, "e", 1)) exit(3);
  if (bytes == 1 && !memcmp(what, "s", 1)) *(volatile int*)8 = 1;
  if (bytes == 1 && !memcmp(what, "m", 1)) MPI_Barrier(MPI_COMM_WORLD);
  if (bytes == 1 && !memcmp(what, "i", 1)) MPI_Init(NULL, NULL);
  return room + 1;
}
static int print(const void* text, int bytes, void* result, int room) {
  (void)result;
  printf("%.*s ", bytes, (const char*)text);
  usleep(1000);
  printf("%d\n", room);
  return 0;
}
/* Its result is that of the job's function, or how that went wrong. */
static int through(const void* line, int bytes, void* result, int room) {
  int got = 0, length = 0;
  char words[MPI_MAX_ERROR_STRING];
  const int code = MPIX_Host_call("append", line, bytes, result, room, &got);
  if (code == MPI_SUCCESS) return got;
  MPI_Error_string(code, words, &length);
  MUST(!strcmp(words, "call of 'append': the function threw: it returned -7"));
  return 0;
}

void MPIX_Host_of_process(MPIX_Host host) {
  MPIX_Host_offer(host, "through", through);
  MPIX_Host_offer(host, "print", print);
  MPIX_Host_offer(host, "fail", fail);
}
void MPIX_Host_of_job(MPIX_Host host) { MPIX_Host_offer(host, "append", append); }

static void call_rightly(int me, int all) {
  int number = 0, got = 0, sum = 0, length = 0, error_class = 0, code;
  char words[MPI_MAX_ERROR_STRING];
  MUST(MPIX_Host_call("append", "one", 3, &number, sizeof number, NULL) == MPI_SUCCESS);
  MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MUST(sum == all * (all + 1) / 2 && lines == 0);
  MUST(MPIX_Host_call("through", "two", 3, &number, sizeof number, &got) == MPI_SUCCESS);
  MUST(got == (int)sizeof number && number > all);
  MUST(MPIX_Host_call("through", NULL, 0, &number, sizeof number, &got) == MPI_SUCCESS && got == 0);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < 2; ++i) {
    code = MPIX_Host_call(i == 0 ? "append" : "fail", NULL, 0, &number, sizeof number, NULL);
    MUST(code > MPI_ERR_LASTCODE);
    MPI_Error_class(code, &error_class);
    MUST(error_class == MPI_ERR_OTHER);
    MPI_Error_string(code, words, &length);
    MUST(!strcmp(words, i == 0 ? "call of 'append': the function threw: it returned -7"
                               : "call of 'fail': the function threw: it returned 5, and there is room for 4 bytes"));
  }
  MUST(MPIX_Host_call(NULL, NULL, 0, NULL, 0, NULL) == MPI_ERR_ARG);
  MUST(MPIX_Host_call("append", NULL, -1, NULL, 0, NULL) == MPI_ERR_COUNT);
  (void)me;
}

int main(int argc, char** argv) {
  int me, all;
  const char* const what = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  if (*what == '\0') {
    call_rightly(me, all);
  } else if (!strcmp(what, "print")) {
    for (int i = 0; i < 20; ++i) MPIX_Host_call("print", "a line", 6, NULL, 0, NULL);
  } else if (me == all - 1) {
    MPIX_Host_call(strlen(what) > 1 ? what : "fail", what, 1, NULL, 0, NULL);
  }
  MPI_Finalize();
  if (me == 0 && *what == '\0') puts("all is right");
  return 0;
}
