#include "c_api/boundary.hpp"

#include <pthread.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string_view>

#include "task/context.hpp"

namespace maslin::c_api {

namespace {

/// The last failure on this thread. Whose it is tells it from those of others who ran here while the caller was
/// suspended.
struct failure {
  const context* whose = nullptr;
  int status = MASLIN_OK;
  char text[2000] = "";
};

thread_local failure last;

/// A fiber that was suspended may continue on another thread: the address must not be kept, hence no inline.
[[gnu::noinline]] failure& last_failure() noexcept { return last; }

int report(int status, const char* call, maslin_location where, std::string_view what) noexcept {
  failure& mine = last_failure();
  const char* file = where.file ? where.file : "";
  // Some messages begin with the same place in C++'s words: "wait_on at main.c:12: ".
  char again[256];
  const int length =
      std::snprintf(again, sizeof(again), "%s at %s:%d: ", call + std::strlen("maslin_"), file, where.line);
  if (length > 0 && what.substr(0, static_cast<std::size_t>(length)) == again)
    what.remove_prefix(static_cast<std::size_t>(length));
  mine.whose = &current_context();
  mine.status = status;
  // A body that passes on its own message: `what` may lie in the text that is written, so it is built beside it.
  char made[sizeof(mine.text)];
  std::snprintf(made, sizeof(made), "%s at %s:%d: %.*s", call, file, where.line, static_cast<int>(what.size()),
                what.data());
  std::memcpy(mine.text, made, sizeof(made));
  return status;
}

/// Gives " (and 2 others failed)" after a wait that rethrew one of several.
std::string others() {
  const std::size_t count = current_context().others.size();
  if (count == 0) return "";
  return " (and " + std::to_string(count) + (count == 1 ? " other failed)" : " others failed)");
}

}  // namespace

base::mutex lasting_lock;

namespace {
void before_fork() MASLIN_ACQUIRES(lasting_lock) { lasting_lock.lock(); }
void after_fork() MASLIN_RELEASES(lasting_lock) { lasting_lock.unlock(); }
const int fork_handlers = pthread_atfork(before_fork, after_fork, after_fork);
}  // namespace

std::string text(maslin_location where) {
  return std::string(where.file ? where.file : "") + ":" + std::to_string(where.line);
}

int failed(const char* call, maslin_location where, bool collects) noexcept {
  try {
    const std::string also = collects ? others() : "";
    try {
      throw;
    } catch (const bad_argument& e) {
      return report(MASLIN_BAD_ARGUMENT, call, where, e.what());
    } catch (const body_failed& e) {
      return report(e.value(), call, where, e.what() + also);
    } catch (const error& e) {
      return report(MASLIN_ERROR, call, where, e.what() + also);
    } catch (const std::bad_alloc&) {
      return report(MASLIN_NO_MEMORY, call, where, "there is not enough memory");
    } catch (const std::exception& e) {
      return report(MASLIN_EXCEPTION, call, where, std::string("C++ code threw: ") + e.what() + also);
    } catch (...) {
      return report(MASLIN_EXCEPTION, call, where, "C++ code threw something that is no std::exception");
    }
  } catch (...) {
    return report(MASLIN_NO_MEMORY, call, where, "there is not enough memory to say what failed");
  }
}

void forget_others() noexcept { current_context().others = {}; }

void begin_body() noexcept {
  failure& mine = last_failure();
  if (mine.whose == &current_context()) mine.whose = nullptr;
}

void throw_value(const std::string& what, int value) {
  const failure& mine = last_failure();
  std::string all = what + " returned " + std::to_string(value);
  if (mine.whose == &current_context() && mine.status == value) all += std::string(": ") + mine.text;
  throw body_failed(all, value);
}

}  // namespace maslin::c_api

const char* maslin_error_message(void) {
  const auto& mine = maslin::c_api::last_failure();
  return mine.whose == &maslin::current_context() ? mine.text : "";
}
