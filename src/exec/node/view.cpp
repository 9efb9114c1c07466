// A job's table as others see it.

#include <cstring>

#include "exec/node/segment.hpp"
#include "maslin/node.hpp"

namespace maslin {

namespace {

std::string name_of(const node::slot& s) {
  char name[17] = {};
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t word = s.name[i].load(std::memory_order_relaxed);
    std::memcpy(name + 8 * i, &word, 8);
  }
  return name;
}

}  // namespace

std::optional<shared_node> look_at_node(const std::string& job) {
  const auto there = node::segment::find(job);
  if (!there) return std::nullopt;
  const node::table& t = there->what();
  shared_node all;
  all.job = job;
  const auto process_of = [&](int slot) -> std::optional<int> {
    if (slot == node::nobody) return std::nullopt;
    return static_cast<int>(t.at(slot).process.load(std::memory_order_acquire));
  };
  for (int c = 0; c < t.cpu_count; ++c)
    if (const node::cpu_state now = t.cpu(c).look(); now.present)
      all.cpus.push_back({c, process_of(now.owner), process_of(now.user)});
  for (int s = 0; s < t.slot_end(); ++s) {
    const node::slot& it = t.at(s);
    sharing_process p;
    p.process = static_cast<int>(it.process.load(std::memory_order_acquire));
    if (p.process == 0) continue;
    p.command = name_of(it);
    p.alive = there->alive(s);
    for (const shared_cpu_state& c : all.cpus) {
      p.own += c.owner == p.process;
      p.used += c.user == p.process;
    }
    p.working = static_cast<int>(it.working.load(std::memory_order_relaxed));
    p.wants_more = it.hungry.load(std::memory_order_relaxed) != 0;
    p.lent = static_cast<std::int64_t>(it.lent.load(std::memory_order_relaxed));
    p.borrowed = static_cast<std::int64_t>(it.borrowed.load(std::memory_order_relaxed));
    p.regained = static_cast<std::int64_t>(it.regained.load(std::memory_order_relaxed));
    all.processes.push_back(std::move(p));
  }
  return all;
}

std::vector<std::string> jobs_on_node() { return node::segment::jobs(); }

}  // namespace maslin
