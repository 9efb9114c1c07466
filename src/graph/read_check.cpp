#include "graph/read_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "graph/describe.hpp"
#include "graph/region.hpp"
#include "maslin/error.hpp"

namespace maslin::graph {

using detail::declared;

namespace {

std::atomic<bool> checks{false};

/// Gives a number that is another one, almost surely, when the bytes are others.
std::uint64_t sum_of(const declared& a) {
  std::uint64_t sum = 0x9E3779B97F4A7C15u;
  const auto mix = [&](std::uint64_t word) {
    sum = (sum ^ word) * 0xFF51AFD7ED558CCDu;
    sum ^= sum >> 32;
  };
  for (std::size_t c = 0; c < a.columns; ++c) {
    const char* at = static_cast<const char*>(a.data) + c * a.stride;
    std::size_t left = a.bytes;
    for (; left >= 8; left -= 8, at += 8) {
      std::uint64_t word;
      std::memcpy(&word, at, 8);
      mix(word);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, at, left);
    mix(rest);
  }
  return sum;
}

}  // namespace

bool read_checks_from_environment() {
  const char* text = std::getenv("MASLIN_CHECK");
  const std::string_view value = text ? text : "";
#ifdef NDEBUG
  constexpr bool by_default = false;
#else
  constexpr bool by_default = true;
#endif
  if (value.empty()) return by_default;
  if (value == "0" || value == "1") return value == "1";
  throw error(
      fmt::format("MASLIN_CHECK={}: expected 1 (find tasks that write what they declare with in()) or 0", value));
}

void set_read_checks(bool on) noexcept { checks.store(on, std::memory_order_relaxed); }
bool read_checks() noexcept { return checks.load(std::memory_order_relaxed); }

read_check::read_check(const detail::task_node& task) {
  const std::vector<declared> all = accesses_of(task);
  for (const declared& a : all) {
    if (a.mode != access_mode::in || region(a).empty()) continue;
    const bool written = std::any_of(all.begin(), all.end(), [&](const declared& other) {
      return other.mode != access_mode::in && overlap(region(a), region(other));
    });
    if (!written) reads_.push_back({a, sum_of(a)});
  }
}

void read_check::verify(const detail::task_node& task) const {
  for (const read& r : reads_)
    if (sum_of(r.what) != r.sum)
      throw error(fmt::format(
          "{} bytes at {} changed while a task ran that declared them with in(): declare with inout() or out() what it "
          "writes (if another task, running beside it, writes them undeclared, MASLIN_WORKERS=1 shows which). It is "
          "the "
          "{}",
          r.what.bytes * r.what.columns, r.what.data, description(task)));
}

}  // namespace maslin::graph
