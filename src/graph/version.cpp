#include "graph/version.hpp"

#include <cstring>
#include <new>

#include "graph/store_clock.hpp"
#include "task/pool.hpp"

namespace maslin {

namespace graph {

namespace {
std::atomic<std::size_t> limit{std::size_t{256} << 20};
std::atomic<std::size_t> in_use{0};
constexpr std::align_val_t alignment{64};
}  // namespace

using detail::version;

version* make_version(const region& of) noexcept {
  const std::size_t bytes = of.size();
  if (in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit.load(std::memory_order_relaxed)) {
    void* data = ::operator new(bytes, alignment, std::nothrow);
    auto* made = data ? new (std::nothrow) version(data, of.columns > 1 ? of.bytes : 0, bytes) : nullptr;
    if (made) return made;
    ::operator delete(data, alignment);
  }
  in_use.fetch_sub(bytes, std::memory_order_relaxed);
  return nullptr;
}

version* make_value(const region& of) {
  void* data = ::operator new(of.size(), alignment);
  auto* made = new (std::nothrow) version(data, 0, of.size());
  if (!made) {
    ::operator delete(data, alignment);
    throw std::bad_alloc();
  }
  in_use.fetch_add(of.size(), std::memory_order_relaxed);
  return made;
}

version* make_turns(const region& of) {
  auto* made = new version(of.data(), of.stride, 0);
  made->let_take_turns();
  return made;
}

void release(version& v) noexcept {
  // Acquire and release: the last user frees what the others wrote.
  if (v.users.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (v.bytes > 0) {
    if (const auto hears = version_ends.load(std::memory_order_acquire)) [[unlikely]]
      hears(region_of(v));
    in_use.fetch_sub(v.bytes, std::memory_order_relaxed);
    ::operator delete(v.data, alignment);
  }
  delete &v;
}

void set_renaming_limit(std::size_t bytes) noexcept { limit.store(bytes, std::memory_order_relaxed); }

void copy_home(const region& layout, void* to, const void* from) {
  for (std::size_t c = 0; c < layout.columns; ++c)
    std::memcpy(static_cast<char*>(to) + c * layout.stride, static_cast<const char*>(from) + c * layout.bytes,
                layout.bytes);
}

}  // namespace graph

std::size_t detail::stride_of(const access_record& record, std::size_t declared_stride) {
  return record.of && record.of->stride ? record.of->stride : declared_stride;
}

}  // namespace maslin
