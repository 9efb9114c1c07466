#pragma once
// What is said of an access that should not have been made.

#include <cstdint>

#include "exec/pages/page_map.hpp"
#include "exec/what_runs.hpp"

namespace maslin {
struct context;
}

namespace maslin::pages {

/// Writes one line. `here`: the context of the code that has made it; `who`: in whose name that is.
void say(const page_map::finding& why, std::uintptr_t at, bool writes, const code& who, const context* here,
         fixed_text& out) noexcept;

}  // namespace maslin::pages
