// Sharing the CPUs of a node with other processes, for C (C11). What the words mean stands in node.hpp.

#ifndef MASLIN_NODE_H
#define MASLIN_NODE_H

#pragma GCC visibility push(default)  // the shared library exports what follows
#ifdef __cplusplus
extern "C" {
#endif

/// The calling thread is about to wait for something outside Maslin: until `maslin_reclaim`, other processes that share
/// this node may use this process's CPUs, but those whose workers have something to do. For the thread that started the
/// runtime, outside tasks; does nothing elsewhere and where no node is shared. Cannot fail.
void maslin_lend(void);

/// The wait is over: the process has its CPUs again when this returns. Who borrowed one leaves it at the end of its
/// task or block. Cannot fail.
void maslin_reclaim(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
