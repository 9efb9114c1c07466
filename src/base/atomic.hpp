#pragma once
// The atomic type of the structures that tests/interleavings explores: std::atomic, unless the explorer puts its own
// in.

#ifndef MASLIN_ATOMIC
#include <atomic>
#define MASLIN_ATOMIC std::atomic
#endif
