#include "with_maslin.hpp"

#include <algorithm>
#include <cmath>

#include "maslin/maslin.hpp"
#include "parallelism.hpp"

namespace unseen {

namespace ms = maslin;

namespace {

using call = function_ref<void()>;
using maslin_kernel = ms::kernel<void (*)(const call*)>;

// The described memory, as in bench/grain: a quarter of all workers use up what there is, and every further quarter
// costs 15 % of the whole.
constexpr double workers_that_fill_it = 0.25;
constexpr double disturbance = 0.15;

ms::location location_of(place where) { return ms::location::current(where.file, where.line); }

void pay(double seconds) { ms::cost(std::chrono::duration<double>(seconds)); }

}  // namespace

kernel::kernel(const char* name)
    : known_as_(std::make_shared<const maslin_kernel>(name, [](const call* body) { (*body)(); })) {}

void off_load(const kernel& k, function_ref<void()> body) {
  ms::offload(*static_cast<const maslin_kernel*>(k.known_as()), &body);
}

double run_streams(std::int64_t streams, function_ref<void(std::int64_t)> body) {
  const auto begin = ms::time();
  ms::phase(phase_name, streams, body);
  return (ms::time() - begin).count();
}

namespace detail {

void pay(double seconds) { unseen::pay(seconds); }

void moves(double bytes) { ms::memory_traffic(std::llround(bytes)); }

double slowdown_by_memory() {
  double active = ms::workers();
  if (const auto now = ms::report(phase_name)) {
    const ms::configuration& c = now->current;
    const auto streams = static_cast<double>(std::clamp<std::int64_t>(now->streams - now->done, 1, c.streams));
    active = streams * (c.width + static_cast<double>(c.wider) / c.streams);
  }
  const double enough = std::max(1.0, workers_that_fill_it * ms::workers());
  return std::max(1.0, active / enough) * (1 + disturbance * std::max(0.0, active / enough - 1));
}

void run_library(double seconds, double serial_share, function_ref<void()> body) {
  if (declared)
    pay(seconds * (serial_share + (1 - serial_share) / ms::width()));
  else
    body();
}

void run_loop(std::int64_t n, std::int64_t block, function_ref<void(range)> body, place where) {
  ms::parallel_for(
      0, n,
      [&](ms::range r) {
        body({r.first, r.last});
      },
      ms::block{block}, location_of(where));
}

double run_sum(std::int64_t n, std::int64_t block, function_ref<double(range)> body, place where) {
  return ms::parallel_reduce(
      0, n, 0.0, std::plus{},
      [&](ms::range r) {
        return body({r.first, r.last});
      },
      ms::block{block}, location_of(where));
}

}  // namespace detail

}  // namespace unseen
