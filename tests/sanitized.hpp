#pragma once

/// Whether this build is sanitized: it is slower then, and its memory is not the program's alone.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// Whether that is ThreadSanitizer, which ends a forked child that starts threads, and keeps a signal from outside back
/// until the thread that got it calls the C library: never, where it computes or is parked.
#if defined(__SANITIZE_THREAD__)
constexpr bool thread_sanitized = true;
#else
constexpr bool thread_sanitized = false;
#endif
