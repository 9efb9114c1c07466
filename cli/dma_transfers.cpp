#include "dma_transfers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "maslin/error.hpp"
#include "task_data.hpp"

namespace {

namespace dma = maslin::dma;
using maslin::trace::event;

class to_transfers : public task_data_observer {
 public:
  to_transfers(const std::string& path, transfers& into) : path_(path), into_(into) {}

  void begins(const event& e, std::span<const named_access> data) override {
    ++into_.tasks;
    for (const named_access& a : data)
      if (a.form.mode != maslin::access_mode::out) transfer(a, e, dma::direction::get);
  }
  void ends(const event& e, std::span<const named_access> data) override {
    for (const named_access& a : data)
      if (a.form.mode != maslin::access_mode::in) transfer(a, e, dma::direction::put);
  }

 private:
  void transfer(const named_access& a, const event& e, dma::direction way) {
    if (a.form.bytes == 0) return;
    constexpr auto latest = std::numeric_limits<std::int64_t>::max() / 1000;
    if (std::cmp_greater(e.ns, latest))
      damaged(fmt::format("a task begins or ends at {} ns; expected {} at most", e.ns, latest));
    for (std::uint64_t column = 0; column < a.form.columns; ++column)
      into_.operations.push_back(
          {std::max(e.worker, 0), 1000 * e.ns, a.address + column * a.form.stride, a.form.bytes, way});
    if (std::uint64_t bytes = 0; __builtin_mul_overflow(a.form.bytes, a.form.columns, &bytes) ||
                                 __builtin_add_overflow(into_.bytes, bytes, &into_.bytes))
      damaged("the transfers are more bytes together than 64 bits can count");
  }

  [[noreturn]] void damaged(const std::string& why) const {
    throw maslin::error(fmt::format("the trace '{}' is damaged: {}", path_, why));
  }

  const std::string& path_;
  transfers& into_;
};

}  // namespace

transfers transfers_of(const maslin::trace::file& trace, const std::string& path) {
  transfers all;
  to_transfers into(path, all);
  each_task_with_data(trace, path, "what was transferred", into);
  return all;
}
