#pragma once
// The grain lock, for clang: the lock itself belongs to the machine (core/grain_lock.hpp; the monitor of exec/virtual),
// and what is under it lies in other objects. Two runtimes of a process have each their own; clang sees one.

#include "base/guarded.hpp"

namespace maslin {

class MASLIN_LOCK grain_capability {};
inline constexpr grain_capability grain_held;

}  // namespace maslin
