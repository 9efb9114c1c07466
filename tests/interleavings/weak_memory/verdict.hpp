#pragma once
// How executions under the C++ memory model end. relacy_atomic.hpp comes before every file.

#include <ostream>
#include <streambuf>
#include <string>

namespace maslin {

/// What a task or its creator wrote: data that is not atomic.
using data = rl::var<int>;

/// What Relacy tells of a failure that is expected goes nowhere. (A stream of strings allocates, where Relacy has
/// replaced that.)
struct nowhere : std::streambuf {
  int overflow(int c) override { return c; }
};

/// Gives Relacy's word for how so many executions, chosen by chance, ended.
template <class Suite>
std::string verdict(rl::iteration_t executions, bool is_weak) {
  nowhere buffer;
  std::ostream silent(&buffer);
  rl::test_params how;
  how.search_type = rl::random_scheduler_type;
  how.iteration_count = executions;
  how.progress_stream = &silent;
  if (is_weak) how.output_stream = &silent;
  rl::simulate<Suite>(how);
  relaxed::weak = {0, 0};
  relaxed::has_fences = true;
  return rl::test_result_str(how.test_result);
}

template <template <bool> class Suite>
void expect_that_orders_matter(rl::iteration_t executions = 100'000) {
  EXPECT_EQ(verdict<Suite<false>>(executions, false), "SUCCESS");
  EXPECT_NE(verdict<Suite<true>>(executions, true), "SUCCESS");
}

}  // namespace maslin
