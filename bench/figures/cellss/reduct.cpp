// reduct: a tree over vectors (the paper's figure 6), level by level.

#include <vector>

#include "application.hpp"

namespace cellss {

application reduct(size s, bool in_place) {
  using enum mode;
  application app(in_place ? "reduct-in-place" : "reduct");
  const auto sum = app.add_kernel("reduce");
  const auto bytes = static_cast<std::uint32_t>(4 * s.block);
  std::vector<std::uint32_t> level;
  for (int i = 0; i < s.blocks; ++i) level.push_back(app.add_region(bytes));
  while (level.size() > 1) {
    std::vector<std::uint32_t> next;
    for (std::size_t i = 0; i + 1 < level.size(); i += 2) {
      if (in_place) {
        app.add_task(sum, {{level[i], inout}, {level[i + 1], in}});
        next.push_back(level[i]);
      } else {
        next.push_back(app.add_temporary(bytes));
        app.add_task(sum, {{level[i], in}, {level[i + 1], in}, {next.back(), out}});
      }
    }
    if (level.size() % 2) next.push_back(level.back());
    level = std::move(next);
  }
  return app;
}

}  // namespace cellss
