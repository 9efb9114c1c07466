#include "machine/topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <type_traits>

#include "maslin/error.hpp"

namespace maslin::machine {

namespace {

struct destroy {
  void operator()(hwloc_topology_t t) const { hwloc_topology_destroy(t); }
};
using handle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, destroy>;

handle fresh() {
  hwloc_topology_t t = nullptr;
  if (hwloc_topology_init(&t) != 0) throw error(fmt::format("hwloc cannot start: {}", std::strerror(errno)));
  return handle(t);
}

std::vector<int> members(hwloc_const_bitmap_t set) {
  std::vector<int> all;
  for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i)) all.push_back(i);
  return all;
}

/// Calls `visit` with every object of the type, in hwloc's order.
template <class Visit>
void each(hwloc_topology_t t, hwloc_obj_type_t type, Visit visit) {
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(t, type, o));) visit(o);
}

topology load(const handle& t, const std::string& what) {
  // Also what this process may not use: the budget says separately what it may.
  if (hwloc_topology_set_flags(t.get(), HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0 ||
      hwloc_topology_load(t.get()) != 0)
    throw error(fmt::format("hwloc cannot read the topology of {}: {}", what, std::strerror(errno)));
  topology found;
  const auto count = [&](hwloc_obj_type_t type) { return std::max(0, hwloc_get_nbobjs_by_type(t.get(), type)); };
  found.packages = count(HWLOC_OBJ_PACKAGE);
  found.cores = count(HWLOC_OBJ_CORE);
  found.cpus = count(HWLOC_OBJ_PU);
  if (const hwloc_obj_t package = hwloc_get_obj_by_type(t.get(), HWLOC_OBJ_PACKAGE, 0))
    if (const char* model = hwloc_obj_get_info_by_name(package, "CPUModel")) found.processor = model;
  for (const hwloc_obj_type_t type :
       {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE})
    each(t.get(), type, [&](hwloc_obj_t o) {
      found.caches.push_back({static_cast<int>(o->attr->cache.depth),
                              o->attr->cache.type == HWLOC_OBJ_CACHE_UNIFIED ? "unified" : "data",
                              static_cast<std::int64_t>(o->attr->cache.size), members(o->cpuset)});
    });
  each(t.get(), HWLOC_OBJ_NUMANODE, [&](hwloc_obj_t o) {
    found.numa.push_back(
        {static_cast<int>(o->os_index), static_cast<std::int64_t>(o->attr->numanode.local_memory), members(o->cpuset)});
  });
  return found;
}

}  // namespace

topology detect_topology() { return load(fresh(), "this machine"); }

topology synthetic_topology(const std::string& notation) {
  const handle t = fresh();
  if (hwloc_topology_set_synthetic(t.get(), notation.c_str()) != 0)
    throw error(fmt::format("hwloc does not understand the synthetic topology '{}'", notation));
  return load(t, notation);
}

topology topology_from_xml(const std::string& path) {
  const handle t = fresh();
  if (hwloc_topology_set_xml(t.get(), path.c_str()) != 0)
    throw error(fmt::format("{}: hwloc cannot read this as a topology in XML", path));
  return load(t, path);
}

}  // namespace maslin::machine
