// The kernels of this process by name.

#include <mutex>
#include <string_view>
#include <vector>

#include "maslin/offload.hpp"
#include "task/kernels.hpp"

namespace maslin {

namespace {

struct names {
  std::mutex lock;
  std::vector<const char*> known;
};

names& table() {
  static names all;  // kernels register from static initializers, in any order
  return all;
}

}  // namespace

std::uint32_t detail::register_kernel(const char* name) {
  names& t = table();
  std::lock_guard held(t.lock);
  for (std::uint32_t id = 0; id < t.known.size(); ++id)
    if (std::string_view(t.known[id]) == name) return id;
  t.known.push_back(name);
  return static_cast<std::uint32_t>(t.known.size() - 1);
}

std::uint32_t kernel_count() {
  names& t = table();
  std::lock_guard held(t.lock);
  return static_cast<std::uint32_t>(t.known.size());
}

const char* kernel_name(std::uint32_t id) {
  names& t = table();
  std::lock_guard held(t.lock);
  return t.known.at(id);
}

}  // namespace maslin
