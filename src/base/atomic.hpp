#pragma once
// The atomic type of the structures that tests/interleavings explores: std::atomic, unless the explorer puts its own
// in.

#include <atomic>

#ifndef MASLIN_ATOMIC
#define MASLIN_ATOMIC std::atomic
#endif
