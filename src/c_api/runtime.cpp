// The runtime's beginning and end as C sees them.

#include "maslin/runtime.hpp"

#include <unistd.h>

#include <memory>
#include <utility>
#include <vector>

#include "c_api/boundary.hpp"
#include "task/context.hpp"

namespace maslin::c_api {

namespace {

/// What `maslin_begin` made in a process.
struct begun_runtimes {
  base::mutex lock;
  std::vector<std::unique_ptr<Runtime>> all MASLIN_GUARDED_BY(lock);
  pid_t process = 0;
};

/// Never destroyed: the end of the process ends a runtime that nobody ended. A forked child gets a fresh one: another
/// thread may have held its lock.
begun_runtimes& begun() {
  const base::locked held(lasting_lock);
  static begun_runtimes* made = nullptr;
  if (!made || made->process != getpid()) {
    made = new begun_runtimes;
    made->process = getpid();
  }
  return *made;
}

placement policy_of(const maslin_options& options) {
  if (options.place < MASLIN_PLACEMENT_OF_THE_RUN || options.place > MASLIN_PLACEMENT_AUTOMATIC)
    throw bad_argument("options->place = " + std::to_string(options.place) +
                       ": expected one of MASLIN_PLACEMENT_OF_THE_RUN, _DBS, _LOCALITY, _CHAINS, _PROGRAM_ORDER, "
                       "_AUTOMATIC");
  return static_cast<placement>(options.place);
}

void begin(const maslin_options* given) {
  const maslin_options wish = read_options(given);
  expect(wish.workers >= 0, "options->workers is negative: expected a positive number, or 0 for the CPU budget");
  Runtime::options options;
  options.workers = wish.workers;
  options.serial = wish.serial != 0;
  options.place = policy_of(wish);
  expect(is_outside_tasks(),
         "called inside a task, stream or loop, where the runtime runs already: leave it out there");
  begun_runtimes& b = begun();
  const base::locked held(b.lock);
  b.all.reserve(b.all.size() + 1);
  b.all.push_back(std::make_unique<Runtime>(options));
}

void end() {
  expect(is_outside_tasks(),
         "called inside a task, stream or loop, which the end would wait for: call it where the program began");
  begun_runtimes& b = begun();
  std::unique_ptr<Runtime> last;  // ends, which may take long, without the lock
  const base::locked held(b.lock);
  expect(!b.all.empty(), "there is no maslin_begin of this process to take back");
  last = std::move(b.all.back());
  b.all.pop_back();
}

}  // namespace

}  // namespace maslin::c_api

using namespace maslin::c_api;

int maslin_begin_at(maslin_location where, const maslin_options* options) {
  return guarded("maslin_begin", where, [&] { begin(options); });
}

int maslin_end_at(maslin_location where) { return guarded("maslin_end", where, end); }

int maslin_width_at(maslin_location where, int* width) {
  return guarded("maslin_width", where, [&] {
    expect(width, "width is NULL: expected where to put the number");
    *width = maslin::width();
  });
}

int maslin_workers_at(maslin_location where, int* workers) {
  return guarded("maslin_workers", where, [&] {
    expect(workers, "workers is NULL: expected where to put the number");
    *workers = maslin::workers();
  });
}
