#include "machine/cgroup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace maslin::machine {

namespace fs = std::filesystem;

namespace {

/// One of the hierarchies that can hold a CPU quota, as proc/self/cgroup and proc/self/mountinfo show it.
struct hierarchy {
  int version;
  fs::path group;        // the process's control group, from the hierarchy's root
  fs::path mount_root;   // the control group that is mounted
  fs::path mount_point;  // where
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t to; (to = text.find(separator, from)) != std::string_view::npos; from = to + 1)
    parts.emplace_back(text.substr(from, to - from));
  parts.emplace_back(text.substr(from));
  return parts;
}

/// mountinfo writes blanks, tabs, newlines and backslashes in paths as three octal digits.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int code = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '\\' && i + 3 < text.size() && std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3) {
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

bool lists(std::string_view comma_separated, std::string_view word) {
  const auto words = split(comma_separated, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Gives `path` seen from `ancestor`; nothing if it does not lie under it (a process outside its cgroup namespace's
/// root has a path with "..").
std::optional<fs::path> below(const fs::path& path, const fs::path& ancestor) {
  const fs::path relative = path.lexically_normal().lexically_relative(ancestor.lexically_normal());
  if (relative.empty() || std::any_of(relative.begin(), relative.end(), [](const fs::path& p) { return p == ".."; }))
    return std::nullopt;
  return relative;
}

/// Gives the process's control groups that can hold a quota: version and path in the hierarchy.
std::vector<std::pair<int, fs::path>> groups(const fs::path& root) {
  std::vector<std::pair<int, fs::path>> all;
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (line.substr(0, first) == "0" && controllers.empty())
      all.emplace_back(2, line.substr(second + 1));
    else if (lists(controllers, "cpu"))
      all.emplace_back(1, line.substr(second + 1));
  }
  return all;
}

std::vector<hierarchy> hierarchies(const fs::path& root) {
  std::vector<hierarchy> all;
  for (const auto& [version, group] : groups(root)) {
    std::optional<hierarchy> best;
    std::ifstream file(root / "proc/self/mountinfo");
    for (std::string line; std::getline(file, line);) {
      const auto fields = split(line, ' ');  // id parent device root point options [optional...] - type source options
      const auto dash = std::find(fields.begin(), fields.end(), "-");
      if (dash - fields.begin() < 6 || fields.end() - dash < 4) continue;
      const bool fits = version == 2 ? dash[1] == "cgroup2" : dash[1] == "cgroup" && lists(dash[3], "cpu");
      hierarchy h{version, group, unescaped(fields[3]), unescaped(fields[4])};
      std::error_code ignored;
      if (!fits || !fs::is_directory(root / h.mount_point.relative_path(), ignored)) continue;
      // A container may see its own group mounted, the whole hierarchy, or both: the mount nearest to the group.
      const bool holds = below(group, h.mount_root).has_value();
      const bool best_holds = best && below(group, best->mount_root).has_value();
      const bool nearer = best && h.mount_root.native().size() > best->mount_root.native().size();
      if (!best || (holds && (!best_holds || nearer))) best = h;
    }
    if (best) all.push_back(*best);
  }
  return all;
}

std::optional<std::string> first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Gives what one control group's quota says; nothing if it has none.
std::optional<cpu_limit> quota(const fs::path& root, int version, const fs::path& group) {
  const fs::path here = root / group.relative_path();
  const std::string name = version == 2 ? "cpu.max" : "cpu.cfs_quota_us";
  const auto text = first_line(here / name);
  if (!text) return std::nullopt;
  std::string quota_text = *text;
  std::string period_text;
  if (version == 2) {
    const auto words = split(*text, ' ');
    quota_text = words[0];
    if (words.size() > 1) period_text = words[1];
  } else {
    period_text = first_line(here / "cpu.cfs_period_us").value_or("");
  }
  if (quota_text == "max" || quota_text == "-1") return std::nullopt;
  const auto quota_us = number(quota_text);
  const auto period_us = number(period_text);
  const std::string source = fmt::format("cgroup v{} quota", version);
  const std::string place = (group / name).string();
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0)
    return cpu_limit{source,
                     fmt::format("'{} {}' in {} cannot be understood and is ignored", quota_text, period_text, place),
                     std::nullopt};
  const std::int64_t cpus = *quota_us / *period_us + (*quota_us % *period_us != 0);
  return cpu_limit{
      source,
      fmt::format("{:.4g} CPUs ({} us every {} us in {}), rounded up",
                  static_cast<double>(*quota_us) / static_cast<double>(*period_us), *quota_us, *period_us, place),
      static_cast<int>(std::min<std::int64_t>(cpus, std::numeric_limits<int>::max()))};
}

}  // namespace

std::vector<cpu_limit> cgroup_limits(const fs::path& root) {
  std::vector<cpu_limit> limits;
  std::string seen;
  for (const hierarchy& h : hierarchies(root)) {
    fs::path relative = below(h.group, h.mount_root).value_or(".");
    // The process may have been moved, or its group may not be visible here: begin at the nearest that is.
    std::error_code ignored;
    while (relative != "." && !fs::is_directory(root / (h.mount_point / relative).relative_path(), ignored))
      relative = relative.has_parent_path() ? relative.parent_path() : fs::path(".");
    const fs::path begin = relative == "." ? h.mount_point : h.mount_point / relative;
    seen += fmt::format("{}v{} at {}", seen.empty() ? "" : ", ", h.version, begin.string());
    for (fs::path group = relative;; group = group.parent_path()) {
      if (group.empty()) group = ".";
      const bool top = group == ".";
      if (auto limit = quota(root, h.version, top ? h.mount_point : h.mount_point / group)) limits.push_back(*limit);
      if (top) break;
    }
  }
  if (limits.empty())
    limits.push_back({"cgroup quota",
                      seen.empty() ? "no control group with a CPU controller is visible" : "none set (" + seen + ")",
                      std::nullopt});
  return limits;
}

}  // namespace maslin::machine
