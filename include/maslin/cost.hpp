#pragma once
// Declared costs: how long the program takes on a machine that is only described (MASLIN_MACHINE), and what it moves to
// and from memory.

#include <chrono>
#include <cstdint>

#include "maslin/api.hpp"

namespace maslin {

/// Asks `cost` whether to leave work out.
struct skip_t {};
inline constexpr skip_t skip{};  ///< the one object of its type

namespace detail {
MASLIN_API bool pay(double seconds);
}

/// Says that what the calling body (a task, a kernel, a block of a loop, a stream, the program between calls) has done
/// since its last call of Maslin took `time` on the described worker or host. From then on what this body does is not
/// measured. On a machine that is there this does nothing. May suspend the caller where hosts are shared.
/// Throws `error` for less than nothing and for more than 9,000,000 s.
inline void cost(std::chrono::duration<double> time) { detail::pay(time.count()); }

/// The same, and gives whether the caller had better leave out the work that this pays for: `if (ms::cost(20us,
/// ms::skip)) return;`. True on a described machine, and then the body's results are void; false where the machine is
/// there.
[[nodiscard]] inline bool cost(std::chrono::duration<double> time, skip_t) { return detail::pay(time.count()); }

/// Says that what the calling body does next moves so many bytes between caches and memory: `maslin scale`, `replay`
/// and `layout` know by it how long workers wait for memory. Traces hold it; on a described machine whose description
/// says how fast memory is, the body does not end before they are moved. Where workers have local stores, a worker's
/// copy engine moves them while this block of a loop and the next one compute, and the worker's part of the loop does
/// not end before; inside a task whose data are copied there nothing is moved again. Nothing else depends on it. Call
/// it in the body of a loop, before the work: `ms::memory_traffic(24 * r.size())`. Throws `error` for less than
/// nothing.
MASLIN_API void memory_traffic(std::int64_t bytes);

/// Gives whether anything depends now on what `memory_traffic` says: a trace is recorded, or memory, or copies to local
/// stores, take their time on a described machine. Ask first where it takes time to find out what moves.
[[nodiscard]] MASLIN_API bool memory_traffic_counts();

}  // namespace maslin
