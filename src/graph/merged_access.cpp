#include "graph/merged_access.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "maslin/error.hpp"

namespace maslin::graph {

std::vector<merged_access> merge(const detail::task_node& task, datum* const* data, const detail::declared* accesses) {
  std::vector<int> order;  // by datum, the last access first
  order.reserve(task.accesses);
  for (int i = 0; i < task.accesses; ++i)
    if (data[i]) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return data[a] == data[b] ? a > b : std::less<>{}(data[a], data[b]); });
  std::vector<merged_access> all(task.accesses);
  bool written_later = false;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const int i = order[at];
    const access_mode mode = accesses[i].mode;
    const bool named_later = at > 0 && data[order[at - 1]] == data[i];
    const bool named_before = at + 1 < order.size() && data[order[at + 1]] == data[i];
    if (mode == access_mode::reduction && (named_later || named_before))
      throw error(
          std::string("the task created at ") + task.where.file_name() + ":" + std::to_string(task.where.line()) +
          " names the same data twice, once as a reduction; a reduction's data has no other access in the task");
    written_later = written_later && named_later;
    const bool does_both = mode == access_mode::in ? written_later : named_later;
    all[static_cast<std::size_t>(i)] = {does_both ? access_mode::inout : mode, accesses[i].renames && !does_both,
                                        named_before};
    written_later = written_later || mode != access_mode::in;
  }
  return all;
}

}  // namespace maslin::graph
