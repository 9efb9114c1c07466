#include "exec/pages/words.hpp"

#include <charconv>
#include <string_view>

#include "task/context.hpp"

namespace maslin::pages {

namespace {

/// Gives what a task says of itself, cut so that two of them have room.
std::string_view words_of(const watched_task& task) { return std::string_view(task.words).substr(0, 700); }

}  // namespace

void say(const page_map::finding& why, std::uintptr_t at, bool writes, const code& who, const context* here,
         fixed_text& out) noexcept {
  using enum page_map::finding::kind;
  char digits[16];
  const char* const end = std::to_chars(digits, digits + sizeof digits, at, 16).ptr;
  const std::string_view hex(digits, static_cast<std::size_t>(end - digits));
  const bool is_task = who.is_in_task();
  out << "maslin: " << (is_task ? "a task" : "the program, outside of all tasks,") << (writes ? " writes" : " reads")
      << " at 0x" << hex;
  if (why.is == writes_in) {
    out << " what was declared with in(): declare with inout() or out() what it writes";
  } else if (why.is == elsewhere) {
    out << ", by a pointer of its own, data that it works on elsewhere (a new version, or a value of a reduction): use "
           "the view that the body gets";
  } else {
    out << " data that a task uses which is not done: "
        << (why.declares ? "wait() for that first"
            : is_task    ? "declare what it reads and writes"
                         : "wait() for that first, or for the data by wait_on()");
  }
  if (is_task) {
    out << ". It is ";
    if (who.is_its_own)
      out << "the " << words_of(*who.in);
    else
      say_what_runs(here, out);
  }
  if (why.declares && why.declares != who.in) out << ". The data are of the " << words_of(*why.declares);
  if (why.other) out << ". The data are of the " << words_of(*why.other);
  out << "\n";
}

}  // namespace maslin::pages
