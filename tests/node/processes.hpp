#pragma once
// Processes of a test: children of one that has no runtime of its own, with memory in which they tell each other how
// far they are.

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <thread>

#include "expect_child.hpp"

namespace testing_node {

/// A T that children share with their parent.
template <class T>
class shared {
 public:
  shared() {
    void* const memory = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    value_ = new (memory) T;
  }
  ~shared() { munmap(value_, sizeof(T)); }
  shared(const shared&) = delete;
  shared& operator=(const shared&) = delete;
  T* operator->() { return value_; }
  T& operator*() { return *value_; }

 private:
  T* value_;
};

/// Waits until `holds()`, at most for 20 seconds; gives whether it did.
template <class Condition>
bool eventually(Condition&& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

/// A child that runs `body` and leaves with what it gives; killed at the end of this if it has not left.
class child {
 public:
  explicit child(const std::function<int()>& body, pid_t parent = getpid()) : process_(fork()) {
    if (process_ != 0) return;
    end_with(parent);
    int status = 99;
    try {
      status = body();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "child: %s\n", e.what());
    }
    std::exit(status);
  }
  ~child() {
    if (process_ > 0) {
      kill();
      end();
    }
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  int number() const { return process_; }
  void kill() const { ::kill(process_, SIGKILL); }
  /// Waits for its end, at most for 40 seconds (then it is killed); gives its status, -1 if it did not exit.
  int end() {
    int status = 0;
    for (int i = 0; i < 40'000; ++i) {
      if (waitpid(process_, &status, WNOHANG) == process_) {
        process_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::fprintf(stderr, "process %d does not end\n", process_);
    kill();
    waitpid(process_, &status, 0);
    process_ = -1;
    return -2;
  }

 private:
  pid_t process_;
};

}  // namespace testing_node
