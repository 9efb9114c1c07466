#pragma once

namespace unseen {

/// Set by hand: so many streams at a time, and so many threads in the loops and library calls of each.
extern int streams_at_a_time;
extern int width;

}  // namespace unseen
