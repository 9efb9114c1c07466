#pragma once
// What clang is told of locks, so that it finds what is done without them (-Wthread-safety; `./dev check`). Other
// compilers see nothing of it. What is under the grain lock is marked by exec/phase/grain_lock.hpp, for it lies in
// other objects than the lock. What is under the locks of exec/virtual and of runtime.cpp is not marked: whether they
// are taken is known at run time only.

#ifdef __clang__
#define MASLIN_LOCK_ATTRIBUTE(...) __attribute__((__VA_ARGS__))
#else
#define MASLIN_LOCK_ATTRIBUTE(...)
#endif

// A class whose objects are locks, or hold one while they live.
#define MASLIN_LOCK MASLIN_LOCK_ATTRIBUTE(capability("lock"))
#define MASLIN_HOLDS_LOCK MASLIN_LOCK_ATTRIBUTE(scoped_lockable)
// Data that is read and written under that lock only.
#define MASLIN_GUARDED_BY(lock) MASLIN_LOCK_ATTRIBUTE(guarded_by(lock))
// Functions: called with the locks held; take them; take them if they give true; let them go.
#define MASLIN_REQUIRES(...) MASLIN_LOCK_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define MASLIN_ACQUIRES(...) MASLIN_LOCK_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define MASLIN_TRIES_TO_ACQUIRE(...) MASLIN_LOCK_ATTRIBUTE(try_acquire_capability(true __VA_OPT__(, ) __VA_ARGS__))
#define MASLIN_RELEASES(...) MASLIN_LOCK_ATTRIBUTE(release_capability(__VA_ARGS__))
// Functions that clang cannot follow; the reason stands beside them.
#define MASLIN_UNCHECKED MASLIN_LOCK_ATTRIBUTE(no_thread_safety_analysis)
