#pragma once
// Which sanitizer this build has: MASLIN_ASAN, MASLIN_TSAN.

#if defined(__SANITIZE_ADDRESS__)
#define MASLIN_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MASLIN_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define MASLIN_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MASLIN_TSAN 1
#endif
#endif

#ifdef MASLIN_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef MASLIN_TSAN
#include <sanitizer/tsan_interface.h>
#endif
