#include "exec/what_runs.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "exec/phase/phase_run.hpp"
#include "task/context.hpp"
#include "task/node.hpp"

namespace maslin {

fixed_text& fixed_text::operator<<(std::string_view more) noexcept {
  const std::size_t count = std::min(more.size(), sizeof text_ - length_);
  std::memcpy(text_ + length_, more.data(), count);
  length_ += count;
  return *this;
}

fixed_text& fixed_text::operator<<(std::uint64_t number) noexcept {
  char digits[20];
  const char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
}

void say_what_runs(const context* here, fixed_text& out) noexcept {
  const char* between = "";
  const auto say = [&](std::string_view what, const location& where) {
    out << between << what << where.file_name() << ":" << std::uint64_t{where.line()};
    between = ", inside ";
  };
  if (here && here->in_loop) say("the loop at ", here->in_loop->where);
  constexpr int most = 6;
  int tasks = 0;
  for (const scope* at = here ? here->children : nullptr; at && tasks < most; at = at->outer()) {
    const detail::task_node* task = at->owner();
    if (!task) continue;
    say("the task created at ", task->where);
    ++tasks;
  }
  if (here && here->stream) {
    const auto& s = *static_cast<const stream_run*>(here->stream);
    out << between << "stream " << static_cast<std::uint64_t>(s.index) << " of the phase \"" << s.phase.what().name;
    between = "\" at ";
    say("", s.phase.what().where);
  }
  if (!*between) out << "code outside tasks, loops and streams";
}

}  // namespace maslin
