#pragma once

/// Whether this build is sanitized: it is slower then, and its memory is not the program's alone.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
