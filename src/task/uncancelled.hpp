#pragma once
// pthread_cancel and Maslin's calls: a thread of the program is cancelled when its call has returned.

#include <pthread.h>

#include "task/context.hpp"

namespace maslin {

/// While it lives, a request to cancel the calling thread waits, if that calls from outside every task: what the thread
/// runs meanwhile are bodies of others, or its own on top of a call, and nobody can unwind those. A task's code may
/// change threads, and is on top of such a call if the thread is the program's.
class uncancelled {
 public:
  explicit uncancelled(bool is_on) : is_on_(is_on) {
    if (is_on_) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_);
  }
  explicit uncancelled(const context& caller) : uncancelled(caller.is_root) {}
  ~uncancelled() {
    if (is_on_) pthread_setcancelstate(before_, nullptr);
  }
  uncancelled(const uncancelled&) = delete;
  uncancelled& operator=(const uncancelled&) = delete;

 private:
  const bool is_on_;
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace maslin
