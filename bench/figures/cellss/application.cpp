#include "application.hpp"

#include <functional>
#include <map>
#include <stdexcept>

namespace cellss {

namespace {

/// Of regions, in bytes: a line of SL1.
constexpr std::uint64_t alignment = 128;

struct entry {
  std::function<application(size)> make;
  size paper;
  size small;
};

const std::map<std::string, entry>& entries() {
  static const std::map<std::string, entry> all{
      {"matmul", {matmul, {32, 64}, {16, 32}}},
      {"sparselu", {sparselu, {32, 64}, {16, 32}}},
      {"choleskyC", {cholesky_c, {48, 64}, {24, 32}}},
      {"choleskyR", {cholesky_r, {48, 64}, {24, 32}}},
      {"reduct", {[](size s) { return reduct(s, false); }, {16384, 4096}, {1024, 1024}}},
      {"reduct-in-place", {[](size s) { return reduct(s, true); }, {16384, 4096}, {1024, 1024}}},
      {"fft3d", {fft3d, {4, 256}, {4, 64}}},
  };
  return all;
}

}  // namespace

std::uint32_t application::add_region(std::uint32_t bytes) {
  regions_.push_back({next_address_, bytes});
  next_address_ += (bytes + alignment - 1) / alignment * alignment;
  return static_cast<std::uint32_t>(regions_.size() - 1);
}

std::uint32_t application::add_temporary(std::uint32_t bytes) {
  regions_.push_back({0, bytes, true});
  return static_cast<std::uint32_t>(regions_.size() - 1);
}

std::uint32_t application::add_kernel(std::string name) {
  kernels_.push_back(std::move(name));
  return static_cast<std::uint32_t>(kernels_.size() - 1);
}

void application::add_task(std::uint32_t kernel, std::initializer_list<access> accesses) {
  add(kernel, {accesses.begin(), accesses.size()});
}
void application::add_task(std::uint32_t kernel, const std::vector<access>& accesses) {
  add(kernel, {accesses.data(), accesses.size()});
}

void application::add(std::uint32_t kernel, std::span<const access> accesses) {
  tasks_.push_back({kernel, static_cast<std::uint32_t>(accesses_.size()), static_cast<std::uint32_t>(accesses.size())});
  accesses_.insert(accesses_.end(), accesses.begin(), accesses.end());
  for (const access& a : accesses) used_.push_back(a.region);
}

application application_of(const std::string& name, size s, bool small) {
  const auto found = entries().find(name);
  if (found == entries().end()) throw std::invalid_argument("no application is called '" + name + "'");
  const size standard = small ? found->second.small : found->second.paper;
  return found->second.make({s.blocks ? s.blocks : standard.blocks, s.block ? s.block : standard.block});
}

std::vector<std::string> application_names() {
  std::vector<std::string> names;
  for (const auto& [name, how] : entries()) names.push_back(name);
  return names;
}

}  // namespace cellss
