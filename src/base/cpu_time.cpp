#include "base/cpu_time.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace maslin::base {

double seconds_without_cpu(int thread) noexcept {
  char text[64];
  std::snprintf(text, sizeof text, "/proc/self/task/%d/schedstat", thread);
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  if (bytes <= 0) return 0;
  text[bytes] = '\0';
  unsigned long long had = 0;
  unsigned long long waited = 0;
  return std::sscanf(text, "%llu %llu", &had, &waited) == 2 ? 1e-9 * static_cast<double>(waited) : 0;
}

}  // namespace maslin::base
