#pragma once
// Who runs Python code, and until when.

#include <nanobind/nanobind.h>

/// While it lives and is true, the interpreter does not end. False once it does: then nothing more begins.
class interpreter_stays {
 public:
  interpreter_stays();
  ~interpreter_stays();
  interpreter_stays(const interpreter_stays&) = delete;
  interpreter_stays& operator=(const interpreter_stays&) = delete;
  explicit operator bool() const { return stays_; }

 private:
  const bool stays_;
};

/// The interpreter ends: returns when nobody makes it stay. With the GIL held.
void end_interpreter();
bool interpreter_ends();

/// While it lives the calling thread, whoever made it, runs Python code. The interpreter's state of a thread that was
/// not Python's is made once and kept, so that `threading.local` lasts.
class with_interpreter {
 public:
  with_interpreter();
  ~with_interpreter() { PyGILState_Release(state_); }
  with_interpreter(const with_interpreter&) = delete;
  with_interpreter& operator=(const with_interpreter&) = delete;

 private:
  PyGILState_STATE state_;
};

/// While it lives the calling thread of Python's lets others run Python code. It does not come back once the
/// interpreter ends: that leaves to its daemon threads nothing to go on with.
class without_interpreter {
 public:
  without_interpreter() : state_(PyEval_SaveThread()) {}
  ~without_interpreter();
  without_interpreter(const without_interpreter&) = delete;
  without_interpreter& operator=(const without_interpreter&) = delete;

 private:
  PyThreadState* const state_;
};

/// In a forked child: nobody makes it stay.
void forget_stays_after_fork();
