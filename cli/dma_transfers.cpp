#include "dma_transfers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "maslin/error.hpp"

namespace {

namespace dma = maslin::dma;
using maslin::trace::event;

class to_transfers : public task_data_observer {
 public:
  explicit to_transfers(const transfer_taker& take) : take_(take) {}

  std::uint64_t tasks() const { return tasks_; }

  void begins(const event& e, std::span<const named_access> data) override {
    ++tasks_;
    for (const named_access& a : data)
      if (a.form.mode != maslin::access_mode::out) transfer(e, a, dma::direction::get);
  }
  void ends(const event& e, std::span<const named_access> data) override {
    for (const named_access& a : data)
      if (a.form.mode != maslin::access_mode::in) transfer(e, a, dma::direction::put);
  }

 private:
  void transfer(const event& e, const named_access& a, dma::direction way) {
    if (a.form.bytes > 0) take_(e, a, way);
  }

  const transfer_taker& take_;
  std::uint64_t tasks_ = 0;
};

}  // namespace

std::uint64_t each_transfer(const maslin::trace::file& trace, const std::string& path, const transfer_taker& take) {
  to_transfers through(take);
  each_task_with_data(trace, path, "what was transferred", through);
  return through.tasks();
}

transfers transfers_of(const maslin::trace::file& trace, const std::string& path) {
  transfers all;
  const auto damaged = [&](const std::string& why) {
    throw maslin::error(fmt::format("the trace '{}' is damaged: {}", path, why));
  };
  all.tasks = each_transfer(trace, path, [&](const event& e, const named_access& a, dma::direction way) {
    constexpr auto latest = std::numeric_limits<std::int64_t>::max() / 1000;
    if (std::cmp_greater(e.ns, latest))
      damaged(fmt::format("a task begins or ends at {} ns; expected {} at most", e.ns, latest));
    for (std::uint64_t column = 0; column < a.form.columns; ++column)
      all.operations.push_back(
          {std::max(e.worker, 0), 1000 * e.ns, a.address + column * a.form.stride, a.form.bytes, way});
    if (std::uint64_t bytes = 0; __builtin_mul_overflow(a.form.bytes, a.form.columns, &bytes) ||
                                 __builtin_add_overflow(all.bytes, bytes, &all.bytes))
      damaged("the transfers are more bytes together than 64 bits can count");
  });
  return all;
}
