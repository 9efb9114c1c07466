// What a program does with its standard output and error as streams: a rank may open a file in place of one of them,
// or close it, print wide characters, and print by C++'s streams. Functions of the C library that know only its own
// streams are defined here in front of it.
#undef _FORTIFY_SOURCE  // its headers define some of these functions, too
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <iostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "output.hpp"
#include "table.hpp"

namespace mpi {

namespace {

/// Gives the C library's function of that name.
template <class Function>
Function* of_library(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Gives the bytes of wide characters in the locale's encoding; false where it has none for one of them.
bool encode(std::wstring_view text, std::string& bytes) {
  std::mbstate_t state{};
  char one[MB_LEN_MAX];
  for (const wchar_t c : text) {
    const std::size_t count = std::wcrtomb(one, c, &state);
    if (count == static_cast<std::size_t>(-1)) return false;
    bytes.append(one, count);
  }
  return true;
}

bool print_wide(int file, std::wstring_view text) {
  std::string bytes;
  return encode(text, bytes) && write_output(file, bytes) == static_cast<ssize_t>(bytes.size());
}

int print_wide_form(int file, const wchar_t* form, va_list values) {
  static auto* const print = of_library<int(std::FILE*, const wchar_t*, va_list)>("vfwprintf");
  wchar_t* text = nullptr;
  std::size_t count = 0;
  std::FILE* const into = open_wmemstream(&text, &count);
  if (!into) return -1;
  const int said = print(into, form, values);
  std::fclose(into);
  const bool is_right = said >= 0 && print_wide(file, {text, count});
  std::free(text);
  return is_right ? said : -1;
}

/// Of the rank that calls, from now on: `file`, a descriptor, or `closed`. Gives whether a rank calls.
bool change_output(int which, int file) {
  rank_of_process* const mine = rank_here();
  if (!mine) return false;
  const int before = mine->own_output[which - STDOUT_FILENO].exchange(file);
  if (before >= 0) close(before);
  return true;
}

std::FILE* reopen(const char* path, const char* how, std::FILE* stream, const char* name) {
  static auto* const real = of_library<std::FILE*(const char*, const char*, std::FILE*)>(name);
  const int which = file_of_output(stream);
  if (which < 0) return real(path, how, stream);
  if (!path) return stream;  // it is one to write to, and stays one
  std::FILE* const made = std::fopen(path, how);
  if (!made) return nullptr;
  const int file = fcntl(fileno(made), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  std::fclose(made);
  if (file < 0) return nullptr;
  if (change_output(which, file)) return stream;
  close(file);
  errno = EBADF;
  return nullptr;
}

/// What stands in C++'s streams, which all ranks of a process have together. It keeps nothing: whose a text is is known
/// only while it is printed.
template <class Character>
class to_output : public std::basic_streambuf<Character> {
  using base = std::basic_streambuf<Character>;
  using traits = typename base::traits_type;
  using text = std::basic_string_view<Character>;

 public:
  explicit to_output(int file) : file_(file) {}

 private:
  bool print(text all) const {
    if constexpr (sizeof(Character) == 1)
      return write_output(file_, all) == static_cast<ssize_t>(all.size());
    else
      return print_wide(file_, all);
  }
  typename base::int_type overflow(typename base::int_type c) override {
    if (traits::eq_int_type(c, traits::eof())) return traits::not_eof(c);
    const Character one = traits::to_char_type(c);
    return print({&one, 1}) ? c : traits::eof();
  }
  std::streamsize xsputn(const Character* from, std::streamsize count) override {
    return print({from, static_cast<std::size_t>(count)}) ? count : 0;
  }

  const int file_;
};

}  // namespace

void replace_cpp_streams() {
  // They print to the end of the process.
  std::cout.rdbuf(new to_output<char>(STDOUT_FILENO));
  std::cerr.rdbuf(new to_output<char>(STDERR_FILENO));
  std::clog.rdbuf(std::cerr.rdbuf());
  std::wcout.rdbuf(new to_output<wchar_t>(STDOUT_FILENO));
  std::wcerr.rdbuf(new to_output<wchar_t>(STDERR_FILENO));
  std::wclog.rdbuf(std::wcerr.rdbuf());
}

}  // namespace mpi

// What is compiled here is hidden, unless it says that it is not.
#pragma GCC visibility push(default)

/// A buffer of C++'s streams would be one for all ranks: what asks for one is not heard.
bool std::ios_base::sync_with_stdio(bool) { return true; }

extern "C" {

// Nor is what asks for one of the C library's.
int setvbuf(std::FILE* stream, char* buffer, int kind, std::size_t bytes) {
  static auto* const real = mpi::of_library<int(std::FILE*, char*, int, std::size_t)>("setvbuf");
  return mpi::file_of_output(stream) < 0 ? real(stream, buffer, kind, bytes) : 0;
}
void setbuf(std::FILE* stream, char* buffer) { setvbuf(stream, buffer, buffer ? _IOFBF : _IONBF, BUFSIZ); }
void setbuffer(std::FILE* stream, char* buffer, std::size_t bytes) {
  setvbuf(stream, buffer, buffer ? _IOFBF : _IONBF, bytes);
}
void setlinebuf(std::FILE* stream) { setvbuf(stream, nullptr, _IOLBF, 0); }

// These are for the rank that calls.
std::FILE* freopen(const char* path, const char* how, std::FILE* stream) {
  return mpi::reopen(path, how, stream, "freopen");
}
std::FILE* freopen64(const char* path, const char* how, std::FILE* stream) {
  return mpi::reopen(path, how, stream, "freopen64");
}
int fclose(std::FILE* stream) {
  static auto* const real = mpi::of_library<int(std::FILE*)>("fclose");
  const int which = mpi::file_of_output(stream);
  if (which < 0) return real(stream);
  mpi::change_output(which, mpi::rank_of_process::closed);
  return 0;
}

// Wide characters: the streams that stand for standard output and error take none.
#define PUT_WIDE(name)                                                     \
  wint_t name(wchar_t c, std::FILE* stream) {                              \
    static auto* const real = mpi::of_library<decltype(name)>(#name);      \
    const int file = mpi::file_of_output(stream);                          \
    if (file < 0) return real(c, stream);                                  \
    return mpi::print_wide(file, {&c, 1}) ? static_cast<wint_t>(c) : WEOF; \
  }
#undef putwc
#undef putwchar
PUT_WIDE(fputwc)
PUT_WIDE(putwc)
PUT_WIDE(fputwc_unlocked)
PUT_WIDE(putwc_unlocked)
wint_t putwchar(wchar_t c) { return fputwc(c, stdout); }
wint_t putwchar_unlocked(wchar_t c) { return fputwc(c, stdout); }
#define PUT_WIDE_TEXT(name)                                                 \
  int name(const wchar_t* text, std::FILE* stream) {                        \
    static auto* const real = mpi::of_library<decltype(name)>(#name);       \
    const int file = mpi::file_of_output(stream);                           \
    return file < 0 ? real(text, stream) : mpi::print_wide(file, text) - 1; \
  }
PUT_WIDE_TEXT(fputws)
PUT_WIDE_TEXT(fputws_unlocked)

int vfwprintf(std::FILE* stream, const wchar_t* form, va_list values) {
  static auto* const real = mpi::of_library<int(std::FILE*, const wchar_t*, va_list)>("vfwprintf");
  const int file = mpi::file_of_output(stream);
  return file < 0 ? real(stream, form, values) : mpi::print_wide_form(file, form, values);
}
int vwprintf(const wchar_t* form, va_list values) { return vfwprintf(stdout, form, values); }
#define PRINT_WIDE(stream)                          \
  va_list values;                                   \
  va_start(values, form);                           \
  const int said = vfwprintf(stream, form, values); \
  va_end(values);                                   \
  return said;
int fwprintf(std::FILE* stream, const wchar_t* form, ...) { PRINT_WIDE(stream) }
int wprintf(const wchar_t* form, ...) { PRINT_WIDE(stdout) }
// What programs call that are compiled with _FORTIFY_SOURCE.
int __vfwprintf_chk(std::FILE* stream, int, const wchar_t* form, va_list values) {
  return vfwprintf(stream, form, values);
}
int __vwprintf_chk(int, const wchar_t* form, va_list values) { return vfwprintf(stdout, form, values); }
int __fwprintf_chk(std::FILE* stream, int, const wchar_t* form, ...) { PRINT_WIDE(stream) }
int __wprintf_chk(int, const wchar_t* form, ...) { PRINT_WIDE(stdout) }
}
#pragma GCC visibility pop
