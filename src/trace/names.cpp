#include "trace/names.hpp"

#include <array>
#include <deque>
#include <unordered_map>

#include "base/mutex.hpp"
#include "maslin/location.hpp"
#include "trace/recorder.hpp"

namespace maslin::trace {

namespace internal {
namespace {

struct table {
  base::mutex lock;
  std::deque<std::string> names MASLIN_GUARDED_BY(lock);  // grows without moving what the map's keys look at
  std::unordered_map<std::string_view, std::uint32_t> numbers MASLIN_GUARDED_BY(lock);
};

/// Never destroyed: static destructors and the drainer may still ask.
table& names() {
  static table* const the = new table;
  return *the;
}

}  // namespace

std::uint32_t intern_name(std::string_view name) {
  table& t = names();
  const base::locked held(t.lock);
  if (const auto found = t.numbers.find(name); found != t.numbers.end()) return found->second;
  const std::string& kept = t.names.emplace_back(name);
  const auto number = static_cast<std::uint32_t>(t.names.size());
  t.numbers.emplace(kept, number);
  return number;
}

std::uint32_t name_count() {
  table& t = names();
  const base::locked held(t.lock);
  return static_cast<std::uint32_t>(t.names.size());
}

void each_name(std::uint32_t after, std::uint32_t upto, const std::function<void(const std::string&)>& take) {
  table& t = names();
  const base::locked held(t.lock);
  for (std::uint32_t i = after; i < upto && i < t.names.size(); ++i) take(t.names[i]);
}

void names_around_fork(bool begins) noexcept MASLIN_UNCHECKED { begins ? names().lock.lock() : names().lock.unlock(); }

}  // namespace internal

std::uint32_t intern(const char* name) { return internal::intern_name(name); }

std::uint32_t site(const location& where) {
  struct entry {
    const char* file = nullptr;
    std::uint32_t line = 0;
    std::uint32_t number = 0;
  };
  thread_local std::array<entry, 64> asked;  // by file and line; a literal's address stands for its text
  const auto mixed = (reinterpret_cast<std::uintptr_t>(where.file_name()) >> 3) + where.line() * 7u;
  entry& e = asked[mixed % asked.size()];
  if (e.file == where.file_name() && e.line == where.line()) return e.number;

  std::string_view file = where.file_name();  // its last two components tell enough
  const auto slash = file.find_last_of('/');
  if (slash != std::string_view::npos && slash > 0) {
    const auto above = file.find_last_of('/', slash - 1);
    if (above != std::string_view::npos) file.remove_prefix(above + 1);
  }
  const std::uint32_t number = internal::intern_name(std::string(file) + ":" + std::to_string(where.line()));
  e = {where.file_name(), where.line(), number};
  return number;
}

std::uint32_t form(const access_form& what) {
  struct entry {
    access_form form{};
    std::uint32_t number = 0;
  };
  thread_local std::array<entry, 64> asked;
  const std::uint64_t mixed = what.bytes * 31 + what.columns * 7 + what.stride * 3 + static_cast<unsigned>(what.mode);
  entry& e = asked[mixed % asked.size()];
  if (e.number == 0 || e.form != what) e = {what, internal::intern_name(to_string(what))};
  return e.number;
}

}  // namespace maslin::trace
