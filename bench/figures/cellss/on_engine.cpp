#include "on_engine.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>

#include "maslin/maslin.hpp"
#include "maslin/run_report.hpp"

namespace cellss {

namespace {

namespace ms = maslin;

struct submission {
  const application& app;
  const task& of;
  char* memory;
  std::chrono::duration<double, std::nano> cost;
  std::atomic<bool>& is_real;
};

constexpr std::size_t most_accesses = 3;

/// Creates the task; `made` are its first accesses.
template <class... Made>
void submit(const submission& s, std::span<const access> accesses, Made... made) {
  if (sizeof...(Made) == accesses.size()) {
    ms::task(
        [cost = s.cost, &is_real = s.is_real](auto...) {
          if (!ms::cost(cost, ms::skip)) is_real = true;
        },
        made...);
    return;
  }
  if constexpr (sizeof...(Made) < most_accesses) {
    const access& a = accesses[sizeof...(Made)];
    const region& r = s.app.regions()[a.region];
    const ms::view<char> data{s.memory + r.address, r.bytes};
    if (a.how == mode::in) return submit(s, accesses, made..., ms::in(data));
    if (a.how == mode::out) return submit(s, accesses, made..., ms::out(data));
    return submit(s, accesses, made..., ms::inout(data));
  }
  throw std::invalid_argument("a task with more than three accesses");
}

}  // namespace

engine_line run_on_engine(const application& app, const std::vector<double>& kernel_ns) {
  // Nothing is computed, so none of this memory is touched.
  const auto memory = std::make_unique_for_overwrite<char[]>(app.bytes());
  std::atomic<bool> is_real{false};
  ms::Runtime runtime;
  const auto begin = ms::time();
  for (std::size_t t = 0; t < app.tasks().size(); ++t) {
    const task& of = app.tasks()[t];
    submit({app, of, memory.get(), std::chrono::duration<double, std::nano>(kernel_ns[of.kernel]), is_real},
           app.accesses(t));
  }
  ms::wait();
  const double ns = 1e9 * (ms::time() - begin).count();
  if (is_real) throw std::invalid_argument("a graph of costs runs on a described machine only: set MASLIN_MACHINE");
  return {ns, ms::workers(), ms::run_report_json()};
}

}  // namespace cellss
