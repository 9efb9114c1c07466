#pragma once
// What the shared library exports.

/// Marks what programs, or the inline code of these headers, use. The shared library exports nothing else.
/// src/libmaslin.map lists it.
#define MASLIN_API [[gnu::visibility("default")]]
