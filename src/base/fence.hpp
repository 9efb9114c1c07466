#pragma once
// What tests/interleavings replaces beside MASLIN_ATOMIC: the fence between atomic operations of several objects.

#include <atomic>

#ifndef MASLIN_FENCE
#define MASLIN_FENCE std::atomic_thread_fence
#endif
