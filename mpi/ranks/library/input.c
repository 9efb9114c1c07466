// Standard input is rank 0's. The C library has one stream of it for a process; here each rank has one, and that of the
// others is at its end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

// A program may have functions of these names itself. Those of the C library read its own stream.
#define OURS __attribute__((visibility("hidden"), weak))

OURS FILE* stdin;

// For what runs before the rank is told its stream.
__attribute__((constructor(101))) static void begin(void) {
  FILE** const of_library = dlsym(RTLD_DEFAULT, "stdin");
  if (!stdin && of_library) stdin = *of_library;
}

// By other names in C, since headers may have definitions of their own.
#define GETCHAR(type, name, get)              \
  OURS type ours_##name(void) __asm__(#name); \
  OURS type ours_##name(void) { return get(stdin); }
GETCHAR(int, getchar, getc)
GETCHAR(int, getchar_unlocked, getc_unlocked)
GETCHAR(wint_t, getwchar, getwc)

// Standards differ in what %a reads, so headers give scanf one of several names.
#define SCANF(ours, name, name_v, name_vf, character)                                         \
  int ours##_vf(FILE*, const character*, va_list) __asm__(name_vf);                           \
  OURS int ours##_v(const character*, va_list) __asm__(name_v);                               \
  OURS int ours##_v(const character* form, va_list to) { return ours##_vf(stdin, form, to); } \
  OURS int ours(const character*, ...) __asm__(name);                                         \
  OURS int ours(const character* form, ...) {                                                 \
    va_list to;                                                                               \
    va_start(to, form);                                                                       \
    const int read = ours##_vf(stdin, form, to);                                              \
    va_end(to);                                                                               \
    return read;                                                                              \
  }
SCANF(scanf_of_gnu, "scanf", "vscanf", "vfscanf", char)
SCANF(wscanf_of_gnu, "wscanf", "vwscanf", "vfwscanf", wchar_t)
SCANF(scanf_of_c99, "__isoc99_scanf", "__isoc99_vscanf", "__isoc99_vfscanf", char)
SCANF(wscanf_of_c99, "__isoc99_wscanf", "__isoc99_vwscanf", "__isoc99_vfwscanf", wchar_t)
#if __GLIBC_PREREQ(2, 38)
SCANF(scanf_of_c23, "__isoc23_scanf", "__isoc23_vscanf", "__isoc23_vfscanf", char)
SCANF(wscanf_of_c23, "__isoc23_wscanf", "__isoc23_vwscanf", "__isoc23_vfwscanf", wchar_t)
#endif

// A stream that has no descriptor is not closed by freopen, so it would still be at its end.
#define FREOPEN(name)                                                       \
  OURS FILE* ours_##name(const char*, const char*, FILE*) __asm__(#name);   \
  OURS FILE* ours_##name(const char* path, const char* how, FILE* stream) { \
    FILE* (*of_library)(const char*, const char*, FILE*);                   \
    *(void**)&of_library = dlsym(RTLD_DEFAULT, #name);                      \
    if (stream == stdin) clearerr(stream);                                  \
    return of_library(path, how, stream);                                   \
  }
FREOPEN(freopen)
FREOPEN(freopen64)
