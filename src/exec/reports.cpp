#include "exec/reports.hpp"

#include <map>
#include <string>

namespace maslin {

namespace {

std::mutex table_lock;
std::map<std::string, std::shared_ptr<live_report>, std::less<>> table;

}  // namespace

std::shared_ptr<live_report> begin_report(const detail::phase& p) {
  phase_report begin;
  begin.name = p.name;
  begin.streams = p.streams;
  begin.running = true;
  auto made = std::make_shared<live_report>(std::move(begin));
  std::lock_guard held(table_lock);
  table.insert_or_assign(p.name, made);
  return made;
}

std::optional<phase_report> report(std::string_view phase) {
  std::shared_ptr<live_report> found;
  {
    std::lock_guard held(table_lock);
    const auto at = table.find(phase);
    if (at == table.end()) return std::nullopt;
    found = at->second;
  }
  return found->read();
}

}  // namespace maslin
