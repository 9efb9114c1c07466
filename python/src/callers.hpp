#pragma once
// Threads that call Maslin for Python's threads, which wait in the operating system meanwhile (python/README.md).

#include <semaphore.h>

#include <exception>
#include <functional>
#include <memory>
#include <string>

/// Something that one of those threads does.
class errand {
 public:
  explicit errand(std::function<void()> work);
  ~errand();
  errand(const errand&) = delete;
  errand& operator=(const errand&) = delete;

  /// Returns when it is done, or a signal came, or a tenth of a second is over; gives whether it is done.
  bool done_soon();
  /// Returns when it is done.
  void wait();
  /// Throws what it threw. When it is done.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  friend class caller_thread;
  void run(const std::function<void()>& first) noexcept;

  std::function<void()> work_;
  std::exception_ptr thrown_;
  sem_t done_;
};

/// Before the runtime starts: what it calls this program in reports, and when it looks for what it learned of it. The
/// interpreter's name would be that of all programs.
void name_program(std::string name);

/// Starts the runtime, if nobody has, and does it. Without the GIL. Throws what a thread that cannot be made throws.
std::shared_ptr<errand> send(std::function<void()> work);
/// The same, and waits; throws what it throws.
void send_and_wait(std::function<void()> work);

/// Has one of them started the runtime? On a described machine?
bool is_runtime_started();
bool is_machine_described();

/// In a forked child: those threads are its parent's.
void forget_callers_after_fork();
