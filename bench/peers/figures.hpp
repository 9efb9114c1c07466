#pragma once
// The figures: each measures one thing on the runtime this program was built for, and checks the answer. A figure that
// the runtime has nothing for gives no results.

#include "measure.hpp"

namespace bench {

/// A million empty independent tasks from one thread, and how many ran inside their own creation.
results empty_tasks();
/// 2e5 tasks of which none does: created in batches small enough for the runtime to defer all of them.
results deferred_tasks();
/// The same as empty_tasks with 0.7 µs of work each; "over_serial" is the time over that of a serial loop.
results working_tasks();
/// fib(30): each call creates a task for one half and computes the other.
results fib();

/// Problems that fork and join all the way down (forks/problems.hpp): fib(30), skynet, queens, a matrix product.
results forks_fib();
results forks_skynet();
results forks_nqueens();
results forks_matmul();

/// 1e5 tasks, each updating the same datum.
results chain();
/// 300×300 tasks, each reading its upper and left neighbours and updating its own datum.
results wavefront();
results chain_replayed();
results wavefront_replayed();
/// 1000 steps of a 1-D stencil of two columns with tasks of 10 µs; "over_serial" is the time over that without a
/// runtime.
results stencil();
results stencil_replayed();
/// The same with a loop of two iterations a step.
results stencil_loops();
/// Length of the stencil's tasks at which two workers are as fast as one (METG 50 %).
results metg();
results metg_replayed();
results metg_loops();
/// The same length in Task Bench's patterns of eight columns (metg.hpp): dependences found each time, and as loops.
results metg_fresh_stencil();
results metg_fresh_nearest();
results metg_fresh_fft();
results metg_fresh_all_to_all();
results metg_loops_stencil();
results metg_loops_nearest();
results metg_loops_fft();
results metg_loops_all_to_all();

/// A loop of two empty iterations that wait for each other, so that both workers take part.
results fork_join();
/// The same after the caller has computed alone for 100 µs.
results fork_join_after_gap();
/// 512 columns, 0.12 ms in all, column i as long as i: over half of the serial time, for each schedule.
results triangle_light_first();
results triangle_heavy_first();

/// Tiled Cholesky decomposition of a matrix of 2048 rows with OpenBLAS's kernels, tiles of 64, 128 and 256.
results cholesky();
/// The same by OpenBLAS alone, on two threads of its own.
results cholesky_openblas();
/// The six applications of the CellSs paper: matrix product, sparse LU, two orders of Cholesky, a sum of vectors, an
/// FFT.
results linalg();

}  // namespace bench
