#pragma once
// What tests/interleavings replaces in the structures that it explores: the atomic type, and how often a lock is tried
// before its taker sleeps (each try is one more step at which another thread may go on).

#include <atomic>

#ifndef MASLIN_ATOMIC
#define MASLIN_ATOMIC std::atomic
#endif
#ifndef MASLIN_LOCK_SPINS
#define MASLIN_LOCK_SPINS 100
#endif
