#pragma once
// Processes whose address space is used up (ulimit -v).

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <new>

#include "maslin/error.hpp"

/// From now on the process may have so many bytes more than it has.
inline void limit_address_space(rlim_t more) {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more;
  setrlimit(RLIMIT_AS, &limit);
}

/// Calls what needs more stacks than there are; prints what it is told and gives 2, or 1 where nothing was wrong.
template <class Chain>
int told_of_a_chain(Chain&& waits) {
  try {
    waits();
    return 1;
  } catch (const maslin::error& e) {
    std::cerr << e.what() << "\n";
    return 2;
  } catch (const std::bad_alloc&) {
    std::cerr << "no memory for a task\n";
    return 2;
  }
}
inline constexpr const char* told = "a wait has no stack to go on with|no memory for a task";
