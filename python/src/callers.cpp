#include "callers.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <maslin/maslin.hpp>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

errand::errand(std::function<void()> work) : work_(std::move(work)) { sem_init(&done_, 0, 0); }
errand::~errand() { sem_destroy(&done_); }

void errand::run(const std::function<void()>& first) noexcept {
  try {
    first();
    work_();
  } catch (...) {
    thrown_ = std::current_exception();
  }
  work_ = nullptr;
}

bool errand::done_soon() {
  constexpr long tenth_of_a_second_ns = 100'000'000, second_ns = 1'000'000'000;
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += tenth_of_a_second_ns;
  if (until.tv_nsec >= second_ns) {
    until.tv_nsec -= second_ns;
    ++until.tv_sec;
  }
  return sem_timedwait(&done_, &until) == 0;
}

void errand::wait() {
  while (sem_wait(&done_) != 0 && errno == EINTR) {
  }
}

namespace {

class callers;

}  // namespace

/// Sleeps until it is sent on an errand; lives as long as the process.
class caller_thread {
 public:
  explicit caller_thread(callers& of) : of_(of) {
    std::thread([this] { run(); }).detach();
  }

  void send(std::shared_ptr<errand> what) {
    next_ = std::move(what);
    sent_.release();
  }

 private:
  [[noreturn]] void run();

  callers& of_;
  std::shared_ptr<errand> next_;
  std::binary_semaphore sent_{0};
};

namespace {

std::string program_name;

/// All of them. The one that started the runtime is worker 0 while it calls, so it goes first.
class callers {
 public:
  void send(std::shared_ptr<errand> what) { next().send(std::move(what)); }

  void start_runtime(const caller_thread& here) {
    const std::lock_guard held(starting_);
    if (starter_) return;
    const python_stack while_it_starts;
    if (!program_name.empty()) program_invocation_short_name = program_name.data();
    const char* const machine = std::getenv("MASLIN_MACHINE");
    described_ = machine && *machine;
    (void)maslin::workers();
    starter_ = &here;
  }

  bool has_started() const { return starter_ != nullptr; }
  bool is_described() const { return described_; }

  void is_idle(caller_thread& one) {
    const std::lock_guard held(lock_);
    idle_.insert(&one == starter_ ? idle_.end() : idle_.begin(), &one);
  }

 private:
  /// Python code needs as much stack on a fiber as threads have.
  class python_stack {
   public:
    python_stack() : sets_(!is_set()) {
      if (sets_) setenv(name, "8M", 1);
    }
    ~python_stack() {
      if (sets_) unsetenv(name);
    }
    python_stack(const python_stack&) = delete;
    python_stack& operator=(const python_stack&) = delete;

   private:
    static constexpr const char* name = "MASLIN_STACK";
    static bool is_set() {
      const char* const value = std::getenv(name);
      return value && *value;
    }
    const bool sets_;
  };

  caller_thread& next() {
    const std::lock_guard held(lock_);
    if (idle_.empty()) {
      auto made = std::make_unique<caller_thread>(*this);
      idle_.reserve(++made_);  // `is_idle` must not fail
      return *made.release();
    }
    caller_thread* const last = idle_.back();
    idle_.pop_back();
    return *last;
  }

  std::mutex lock_;
  std::vector<caller_thread*> idle_;  // under lock_
  std::size_t made_ = 0;              // under lock_
  std::mutex starting_;
  std::atomic<bool> described_{false};                  // written under starting_
  std::atomic<const caller_thread*> starter_{nullptr};  // written under starting_
};

callers* all = new callers;

}  // namespace

void caller_thread::run() {
  for (;;) {
    sent_.acquire();
    const std::shared_ptr<errand> now = std::move(next_);
    now->run([this] { of_.start_runtime(*this); });
    of_.is_idle(*this);  // before who waits for it sends the next one
    sem_post(&now->done_);
  }
}

void name_program(std::string name) { program_name = std::move(name); }

std::shared_ptr<errand> send(std::function<void()> work) {
  auto what = std::make_shared<errand>(std::move(work));
  all->send(what);
  return what;
}

void send_and_wait(std::function<void()> work) {
  const auto sent = send(std::move(work));
  sent->wait();
  sent->rethrow();
}

bool is_runtime_started() { return all->has_started(); }

bool is_machine_described() { return all->is_described(); }

void forget_callers_after_fork() { all = new callers; }
