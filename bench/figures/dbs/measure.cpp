#include "measure.hpp"

#include <fmt/format.h>

#include <bit>
#include <optional>

#include "misses.hpp"

namespace figures {

namespace {

double seconds_of(problem& p, const execution& how) {
  p.reset();
  const auto start = ms::time();
  p.run(how);
  return (ms::time() - start).count();
}

int chosen(const program& what, const char* option, int wish, const program::extent& extent, bool quick,
           const char* unit) {
  if (wish == 0) return quick ? extent.quick : extent.usual;
  if (wish < extent.least)
    throw maslin::error(fmt::format("{}: {} {}: expected {} or more {}", what.name, option, wish, extent.least, unit));
  return wish;
}

void compare(const program& what, form how, const std::vector<double>& expected, const std::vector<double>& found) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (std::bit_cast<std::uint64_t>(expected[i]) != std::bit_cast<std::uint64_t>(found[i]))
      throw wrong_answer(fmt::format("{}, {} form: number {} of the answer is {}, but {} in the serial run", what.name,
                                     name(how), i, found[i], expected[i]));
}

}  // namespace

const char* name(form how) {
  switch (how) {
    case form::serial:
      return "serial";
    case form::loop:
      return "loop";
    default:
      return "functional";
  }
}

std::vector<measurement> measure(const program& what, const std::vector<form>& forms, bool as_iterations,
                                 const request& wish) {
  const int size = chosen(what, "--size", wish.size, what.size, wish.quick, what.size_of);
  const int steps = chosen(what, "--steps", wish.steps, what.steps, wish.quick, what.step);
  const auto p = what.make(size, steps);
  seconds_of(*p, {});
  const std::vector<double> expected = p->answer();
  const double defect = p->defect();
  if (!(defect <= what.defect_below))
    throw wrong_answer(
        fmt::format("{}, serial run: the answer is off by {:.2g}, expected {:.2g} or less; choose another "
                    "--size or fewer --steps",
                    what.name, defect, what.defect_below));
  std::vector<measurement> all;
  for (const form how : forms) {
    execution execution{how, as_iterations, wish.operation_ns * 1e-9};
    measurement m{&what, how, as_iterations, size, steps, {}, defect};
    for (double warm_s = 0; warm_s * 1e3 < wish.warm_up_ms;) warm_s += std::max(seconds_of(*p, execution), 1e-6);
    for (int run = 0; run < wish.repeat; ++run) {
      std::optional<cache_misses> misses;
      if (wish.cache_bytes > 0) execution.uses = &misses.emplace(wish.cache_bytes);
      m.seconds.push_back(seconds_of(*p, execution));
      if (misses) m.misses.push_back({misses->all(), misses->at_first_use()});
      execution.uses = nullptr;
      compare(what, how, expected, p->answer());
    }
    all.push_back(std::move(m));
  }
  return all;
}

}  // namespace figures
