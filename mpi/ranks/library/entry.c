// Programs are shared objects, which maslin-mpirun loads. Who starts one by its name, as `configure` does, gets it as
// one rank: the kernel runs the loader, the loader comes here, and maslin-mpirun takes over.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "maslin/maslin.h"

#if defined(__x86_64__)
#define INTERPRETER "/lib64/ld-linux-x86-64.so.2"
__asm__(
    ".globl maslin_mpi_entry\n"
    ".hidden maslin_mpi_start\n"
    "maslin_mpi_entry:\n"
    "  xor %ebp, %ebp\n"
    "  mov %rsp, %rdi\n"
    "  and $-16, %rsp\n"
    "  call maslin_mpi_start\n"
    "  hlt\n");
#elif defined(__aarch64__)
#define INTERPRETER "/lib/ld-linux-aarch64.so.1"
__asm__(
    ".globl maslin_mpi_entry\n"
    ".hidden maslin_mpi_start\n"
    "maslin_mpi_entry:\n"
    "  mov x29, #0\n"
    "  mov x30, #0\n"
    "  mov x0, sp\n"
    "  and sp, x0, #-16\n"
    "  bl maslin_mpi_start\n");
#endif

__attribute__((section(".interp"), used)) static const char interpreter[] = INTERPRETER;

/* The command of the installation whose library this program has been linked with. */
static void become_mpirun(char** words, char** environment) {
  Dl_info library;
  if (dladdr((void*)(size_t)&maslin_workers_at, &library) && library.dli_fname) {
    static const char* const ways[] = {"/../bin/maslin-mpirun", "/../../bin/maslin-mpirun"};
    const char* const slash = strrchr(library.dli_fname, '/');
    const size_t folder = slash ? (size_t)(slash - library.dli_fname) : 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
      char* const path = malloc(folder + strlen(ways[i]) + 1);
      if (!path) continue;
      memcpy(path, library.dli_fname, folder);
      strcpy(path + folder, ways[i]);
      execve(path, words, environment);
    }
  }
  execvpe("maslin-mpirun", words, environment);
}

/* stack: what the kernel gives a program: the number of its words, the words, a null, its environment. */
__attribute__((noreturn, used, visibility("hidden"))) void maslin_mpi_start(long* stack) {
  const long count = stack[0];
  char** const words = (char**)(stack + 1);
  static char name[] = "maslin-mpirun", n[] = "-n", one[] = "1", program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  char** const all = malloc(((size_t)count + 5) * sizeof *all);
  if (length > 0 && all) {
    all[0] = name, all[1] = n, all[2] = one, all[3] = program;
    for (long i = 1; i <= count; ++i) all[3 + i] = words[i];
    become_mpirun(all, words + count + 1);
  }
  fprintf(stderr, "%s: this is an MPI program; start it with maslin-mpirun -n RANKS, which is not in PATH\n", words[0]);
  _exit(2);
}
