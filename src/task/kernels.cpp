// The kernels of this process by name.

#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "maslin/error.hpp"
#include "maslin/offload.hpp"
#include "task/kernels.hpp"

namespace maslin {

namespace {

struct names {
  base::mutex lock;
  std::vector<const char*> known MASLIN_GUARDED_BY(lock);
};

/// Kernels register from static initializers, in any order. Never destroyed: tasks may run until the process ends.
names& table() {
  static names& all = *new names;
  return all;
}

}  // namespace

std::uint32_t detail::register_kernel(const char* name) {
  if (!name) throw error("the name of a kernel is a null pointer; expected what traces and reports are to call it");
  names& t = table();
  const base::locked held(t.lock);
  for (std::uint32_t id = 0; id < t.known.size(); ++id)
    if (std::string_view(t.known[id]) == name) return id;
  t.known.push_back(name);
  return static_cast<std::uint32_t>(t.known.size() - 1);
}

std::uint32_t kernel_count() {
  names& t = table();
  const base::locked held(t.lock);
  return static_cast<std::uint32_t>(t.known.size());
}

const char* kernel_name(std::uint32_t id) {
  names& t = table();
  const base::locked held(t.lock);
  return t.known.at(id);
}

void kernels_around_fork(bool begins) noexcept MASLIN_UNCHECKED {
  begins ? table().lock.lock() : table().lock.unlock();
}

}  // namespace maslin
