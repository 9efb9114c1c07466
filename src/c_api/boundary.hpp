#pragma once
// Where C ends and C++ begins: exceptions become statuses with a message on the way out, and a C body's value becomes
// an exception on the way in.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "base/mutex.hpp"
#include "maslin/error.hpp"
#include "maslin/location.hpp"
#include "maslin/maslin.h"

namespace maslin::c_api {

/// An argument of a call that makes no sense.
class bad_argument : public error {
 public:
  using error::error;
};

/// What a C body's value other than 0 is inside.
class body_failed : public error {
 public:
  body_failed(const std::string& what, int value) : error(what), value_(value) {}
  int value() const noexcept { return value_; }

 private:
  int value_;
};

/// Gives the place in C++'s words; what has no file is nowhere.
inline location place(maslin_location where) noexcept {
  return location::current(where.file ? where.file : "", where.line > 0 ? static_cast<unsigned>(where.line) : 0);
}
/// Gives "file:line".
std::string text(maslin_location where);

/// Guards what the C API keeps for the process's life; held around each fork, so that a child finds it free.
extern base::mutex lasting_lock;

/// Gives the status for the exception that is being handled and keeps its message for the caller. `collects`: the call
/// rethrew the earliest of several, and the message says how many.
int failed(const char* call, maslin_location where, bool collects) noexcept;

/// Forgets what an earlier wait of the caller left behind.
void forget_others() noexcept;

/// Forgets the caller's message: a body begins, and what it will say of its failure is not somebody else's.
void begin_body() noexcept;
/// Throws `body_failed` for a body's value other than 0: `what` did so ("the task created at main.c:12"). If the value
/// is the status that a call of its own had just given, that call's message follows.
[[noreturn]] void throw_value(const std::string& what, int value);

/// A C body of one argument, and what its failure is called: `what` at a place.
struct c_body {
  int (*body)(void* env);
  void* env;
  const char* what;
  maslin_location where;
};
/// Runs the `c_body` at that address; throws `body_failed` for its value other than 0.
inline void run_body(void* at) {
  const auto& in = *static_cast<const c_body*>(at);
  begin_body();
  if (const int value = in.body(in.env)) throw_value(in.what + (" at " + text(in.where)), value);
}

/// Runs one call of the C API: gives what went wrong in it as a status.
template <class Body>
int guarded(const char* call, maslin_location where, Body&& body, bool collects = false) noexcept {
  try {
    body();
    return MASLIN_OK;
  } catch (...) {
    return failed(call, where, collects);
  }
}
/// The same for a call that rethrows the earliest of several exceptions.
template <class Body>
int guarded_wait(const char* call, maslin_location where, Body&& body) noexcept {
  forget_others();
  return guarded(call, where, body, true);
}

/// Throws `bad_argument` unless the condition holds.
inline void expect(bool holds, const char* what) {
  if (!holds) throw bad_argument(what);
}

/// No struct of any version is larger: what says that it is was never filled in.
inline constexpr std::size_t largest_struct = 4096;

/// Gives options of any version as those of this library; defaults for null. Throws `bad_argument` where the caller
/// asks for something that this version does not have.
template <class Options>
Options read_options(const Options* given) {
  Options all{};
  all.size = sizeof(Options);
  if (!given) return all;
  const std::size_t size = given->size;
  if (size < sizeof(Options::size) || size > largest_struct)
    throw bad_argument("options->size = " + std::to_string(size) + ": expected the sizeof of the options' type");
  const char* bytes = reinterpret_cast<const char*>(given);
  for (std::size_t i = sizeof(Options); i < size; ++i)
    if (bytes[i] != 0)
      throw bad_argument("options->size = " + std::to_string(size) + ", and byte " + std::to_string(i) +
                         " is set: the program was compiled against a later version, which can do more");
  std::memcpy(&all, given, std::min(size, sizeof(Options)));
  all.size = sizeof(Options);
  return all;
}

}  // namespace maslin::c_api
