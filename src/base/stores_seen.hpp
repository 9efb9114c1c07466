#pragma once
// Stores that are seen without a fence of who makes them: who looks for them pays for both.

namespace maslin::base {

/// A full fence on the caller and on every other thread of the process, wherever that is in its code. A thread that
/// stores to A and then loads B, in this order for the compiler, need not separate the two: where another stores to B,
/// calls this and loads A, one of them sees the other's store (asymmetric Dekker). Takes some microseconds; on a system
/// without membarrier, milliseconds.
void see_all_stores() noexcept;

}  // namespace maslin::base
