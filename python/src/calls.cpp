#include "calls.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <maslin/maslin.hpp>
#include <mutex>
#include <set>
#include <utility>

#include "interpreter.hpp"

namespace {

/// Gives that text for the rest of the process: names and places stand in reports.
const char* lasting(const std::string& text) {
  static std::mutex lock;
  static auto* const all = new std::set<std::string>;
  const std::lock_guard held(lock);
  return all->insert(text).first->c_str();
}

maslin::location place(const char* file, unsigned line) { return maslin::location::current(file, line); }

/// The item that a thread runs. Python's state goes with the thread, so there is one at a time.
struct item {
  const call* of;
  bool lent;  ///< the thread is no worker: one that waits for it has lent it this item
};
thread_local std::optional<item> running;

/// While it lives the calling thread runs an item.
class runs_item {
 public:
  explicit runs_item(item what) { running = what; }
  ~runs_item() { running.reset(); }
  runs_item(const runs_item&) = delete;
  runs_item& operator=(const runs_item&) = delete;
};

/// Runs `body`, which is Python code, on the calling thread. If that is in the middle of another item, which waits
/// inside C++ code and so has left its frames on the thread, another thread does it and this one waits.
template <class Body>
void run_python(const call* of, Body&& body) {
  const auto here = [&](bool lent) {
    const interpreter_stays stays;
    if (!stays) return;
    const runs_item now({of, lent});
    body();
  };
  if (running)
    send_and_wait([&] { here(true); });
  else
    here(false);
}

void check_interpreter() {
  if (interpreter_ends()) throw maslin::error("the interpreter ends, so nothing more begins");
}

/// Is the caller an item on a described machine? That runs one worker at a time, so an item that waited for other
/// workers would stop them.
bool stays_in_place() { return is_in_item() && is_machine_described(); }

/// In a stream: one off-load, so that its time is measured, and the stream is moved before it or not at all.
template <class Body>
void off_load(const char* name, Body&& body) {
  const maslin::kernel kernel{name, [](void (*call)(void*), void* env) { call(env); }};
  void (*const call)(void*) = [](void* env) { (*static_cast<std::remove_reference_t<Body>*>(env))(); };
  maslin::offload(kernel, call, static_cast<void*>(std::addressof(body)));
}

/// Waits without the GIL; signals are handled meanwhile. Gives what the first handler raised.
std::optional<nb::python_error> wait_for(errand& sent, std::atomic<bool>& interrupted) {
  std::optional<nb::python_error> raised;
  for (;;) {
    bool done = false;
    {
      const without_interpreter others;
      done = sent.done_soon();
    }
    if (done) return raised;
    if (PyErr_CheckSignals() == 0) continue;
    nb::python_error now;
    interrupted.store(true, std::memory_order_relaxed);
    if (!raised) raised.emplace(std::move(now));
  }
}

}  // namespace

call::call(shape what, std::string name, std::string file, unsigned line)
    : what_(std::move(what)),
      name_(lasting(name)),
      file_(lasting(file)),
      line_(line),
      context_(nb::steal(PyContext_CopyCurrent())),
      within_(running ? running->of : nullptr),
      first_failed_(what_.count) {
  if (!context_.is_valid()) throw nb::python_error();
}

void call::run() {
  check_interpreter();
  if (stays_in_place()) return run_in_place();
  const auto sent = send([this, inside = is_in_item()] { inside ? run_inside() : run_streams(); });
  if (auto raised = wait_for(*sent, interrupted_)) throw nb::python_error(std::move(*raised));
  sent->rethrow();
  if (failure_) throw nb::python_error(std::move(*failure_));
  check_interpreter();
}

void call::run_streams() {
  maslin::phase(
      name_, what_.count, [this](std::int64_t place) { off_load(name_, [&] { run_item(place); }); },
      ::place(file_, line_));
}

void call::run_in_place() {
  for (std::int64_t place = 0; place < what_.count; ++place)
    if (const std::int64_t item = item_at(place); may_begin(item)) call_function(item);
  if (failure_) throw nb::python_error(std::move(*failure_));
}

/// Its caller is an item and keeps its worker. So this thread does a worker's share, which it does in a loop.
void call::run_inside() {
  maslin::parallel_for(
      0, what_.count,
      [this](maslin::range some) {
        for (const std::int64_t place : some) run_item(place);
      },
      maslin::block{1}, ::place(file_, line_));
}

void call::run_item(std::int64_t place) {
  const std::int64_t item = item_at(place);
  if (!may_begin(item)) return;
  run_python(this, [&] {
    const with_interpreter python;
    if (may_begin(item)) call_function(item);  // it may have waited long
  });
}

void call::call_function(std::int64_t item) {
  try {
    const nb::object own = nb::steal(PyContext_Copy(context_.ptr()));
    const nb::object argument =
        what_.items.is_none() ? nb::object(nb::int_(item)) : nb::borrow(PyList_GET_ITEM(what_.items.ptr(), item));
    if (!own.is_valid() || PyContext_Enter(own.ptr()) != 0) throw nb::python_error();
    nb::object result = nb::steal(PyObject_CallOneArg(what_.function.ptr(), argument.ptr()));
    std::optional<nb::python_error> raised;
    if (!result.is_valid()) raised.emplace();
    if (PyContext_Exit(own.ptr()) != 0 && !raised) raised.emplace();
    if (raised) throw nb::python_error(std::move(*raised));
    if (!what_.results.is_none()) PyList_SetItem(what_.results.ptr(), item, result.release().ptr());
  } catch (nb::python_error& raised) {
    if (failure_ && item > raised_) return;
    raised_ = item;
    // Its end may run Python code, which lets others have the GIL: first all is in its place.
    std::optional<nb::python_error> before;
    if (failure_) before.emplace(std::move(*failure_));
    failure_.reset();  // of what has been moved away: nothing runs
    failure_.emplace(std::move(raised));
    if (!what_.goes_on) first_failed_.store(item, std::memory_order_relaxed);
  }
}

/// Streams take from it, each until it finds nothing; what is put later begins others in their place.
class feed::queue {
 public:
  queue(std::string name, int at_a_time) : name_(lasting(name)), at_a_time_(at_a_time), inside_(is_in_item()) {}

  void put(nb::object callable) {
    const std::lock_guard held(lock_);
    waiting_.push_back(callable.release().ptr());
  }
  std::deque<PyObject*> take_all() {
    const std::lock_guard held(lock_);
    return std::move(waiting_);
  }
  /// Does enough wait for all streams, or do some take what comes while others have ended?
  bool has_enough() {
    const std::lock_guard held(lock_);
    return waiting_.size() >= static_cast<std::size_t>(at_a_time_) || (streams_ > 0 && streams_ < at_a_time_);
  }

  void begin(const std::shared_ptr<queue>& self) {
    {
      const std::lock_guard held(lock_);
      if (waiting_.empty()) return;
      if (!stays_in_place()) return send_streams(self);
      if (streams_ > 0) return;
      streams_ = 1;
    }
    while (PyObject* const next = take()) call(next, nb::none());
  }
  /// Gives something that runs it; null when nothing does.
  std::shared_ptr<errand> take_sent() {
    const std::lock_guard held(lock_);
    if (sent_.empty()) return nullptr;
    std::shared_ptr<errand> one = std::move(sent_.front());
    sent_.pop_front();
    return one;
  }

 private:
  /// Under the lock.
  void send_streams(const std::shared_ptr<queue>& self) {
    const int missing = at_a_time_ - streams_;
    const int more = streams_ == 0 ? missing : static_cast<int>(std::min<std::size_t>(missing, waiting_.size()));
    if (more <= 0) return;
    sent_.push_back(send([self, more] { self->run(more); }));
    streams_ += more;
  }
  void run(int streams) noexcept {
    std::atomic<int> ended{0};
    try {
      inside_ ? run_inside(streams, ended) : run_streams(streams, ended);
    } catch (const std::exception& e) {
      fail(e.what());
    }
    const std::lock_guard held(lock_);
    streams_ -= streams - ended;  // those that never began
  }
  void run_streams(int streams, std::atomic<int>& ended) {
    maslin::phase(name_, streams, [&](std::int64_t) {
      bool more = true;
      while (more) off_load(name_, [&] { more = take_one(); });
      ++ended;
    });
  }
  void run_inside(int streams, std::atomic<int>& ended) {
    maslin::parallel_for(
        0, streams,
        [&](maslin::range some) {
          for (auto i = some.size(); i > 0; --i, ++ended)
            while (take_one()) {
            }
        },
        maslin::block{1});
  }

  /// Gives the next; null if there is none: then the stream that asks ends.
  PyObject* take() {
    const std::lock_guard held(lock_);
    if (waiting_.empty()) {
      --streams_;
      return nullptr;
    }
    PyObject* const next = waiting_.front();
    waiting_.pop_front();
    return next;
  }
  /// Runs it; gives whether there was one.
  bool take_one() {
    PyObject* const next = take();
    if (!next) return false;
    run_python(nullptr, [next] {
      const with_interpreter python;
      call(next, nb::none());
    });
    return true;
  }
  void fail(const char* why) noexcept {
    for (PyObject* const next : take_all())
      run_python(nullptr, [&] {
        const with_interpreter python;
        call(next, nb::borrow(PyExc_RuntimeError)(why));
      });
  }
  /// With the GIL held.
  static void call(PyObject* what, const nb::object& with) {
    const nb::object callable = nb::steal(what);
    if (!nb::steal(PyObject_CallOneArg(callable.ptr(), with.ptr())).is_valid()) PyErr_WriteUnraisable(callable.ptr());
  }

  const char* const name_;
  const int at_a_time_;
  const bool inside_;
  std::mutex lock_;
  std::deque<PyObject*> waiting_;             // under lock_; each is a reference
  int streams_ = 0;                           // that take from it; under lock_
  std::deque<std::shared_ptr<errand>> sent_;  // under lock_
};

feed::feed(std::string name, int at_a_time) : queue_(std::make_shared<queue>(std::move(name), at_a_time)) {}
feed::~feed() { clear(); }

void feed::put(nb::object callable) {
  queue_->put(std::move(callable));
  if (queue_->has_enough()) begin();
}
void feed::begin() { queue_->begin(queue_); }
void feed::clear() {
  for (PyObject* const one : queue_->take_all()) Py_DECREF(one);
}
void feed::wait() {
  std::atomic<bool> interrupted{false};
  std::optional<nb::python_error> first;
  while (const auto sent = queue_->take_sent()) {
    auto raised = wait_for(*sent, interrupted);
    if (!raised) continue;
    clear();
    if (!first) first.emplace(std::move(*raised));
  }
  if (first) throw nb::python_error(std::move(*first));
}

bool is_in_item() noexcept { return running.has_value(); }

int workers() {
  const without_interpreter others;
  if (!is_in_item() && !is_runtime_started()) send_and_wait([] {});
  return maslin::workers();
}

int width() {
  if (!is_in_item()) return workers();
  return running->lent ? 1 : maslin::width();
}

void forget_after_fork() {
  forget_callers_after_fork();
  forget_stays_after_fork();
}
