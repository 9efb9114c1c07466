#include "exec/threads/place_choice.hpp"

#include <errno.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <filesystem>
#include <new>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/no_leak.hpp"
#include "base/processor.hpp"
#include "files/fields.hpp"
#include "files/marked.hpp"
#include "files/replacement.hpp"

namespace maslin {

using files::split;
using place::comparison;

namespace {

// So much must be measured before a stretch may end, and in a run that has only one, for that to count.
constexpr double least_seconds = 0.003, least_seconds_of_run = 0.001;
constexpr std::uint64_t least_tasks = 64;

struct told {
  base::mutex lock;
  std::optional<told_place> what MASLIN_GUARDED_BY(lock);
};
told* ours = new told;  // never freed, since any thread may ask; a forked child gets its own

void tell(std::optional<told_place> what) noexcept {
  const base::locked held(ours->lock);
  ours->what = what;
}

// The file: a line for each program, in fields.

constexpr std::string_view mark = "maslin places ";  // a file of any version is ours
constexpr std::string_view first_line = "maslin places 1";
constexpr std::size_t most_lines = 500;
constexpr std::size_t fields_before_sites = 8;

/// Gives how a line of this program begins.
std::string key_of(int workers) {
  return fmt::format("{}\t{}\t{}\t", files::field(program_invocation_short_name), files::field(base::processor_name()),
                     workers);
}

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  const std::optional<std::string> content = files::read_marked(file, mark);
  if (!content) return lines;
  const auto all = split(*content, '\n');
  if (all.front() != first_line) return lines;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (!all[i].empty()) lines.emplace_back(all[i]);
  return lines;
}

/// Reads "tasks seconds file:line".
bool read_site(std::string_view text, place::stretch& into) {
  const std::size_t first = text.find(' '), second = text.find(' ', first + 1);
  place::taken t;
  if (second == std::string_view::npos || !files::read(text.substr(0, first), t.tasks) ||
      !files::read(text.substr(first + 1, second - first - 1), t.seconds) || t.tasks == 0 || !(t.seconds > 0) ||
      !std::isfinite(t.seconds))
    return false;
  into.emplace(text.substr(second + 1), t);
  return true;
}

}  // namespace

std::optional<told_place> what_place_was_told() {
  const base::locked held(ours->lock);
  return ours->what;
}
void forget_place_told() noexcept { tell(std::nullopt); }
void forget_place_after_fork() noexcept {
  auto* const fresh = new (std::nothrow) told;
  if (!fresh) return;
  base::keep_reachable(ours);
  ours = fresh;
}

comparison read_place(const std::string& file, int workers) {
  const std::string key = key_of(workers);
  for (const std::string& line : lines_of(file)) {
    if (!line.starts_with(key)) continue;
    const auto fields = split(line, '\t');
    comparison::evidence known;
    if (fields.size() < fields_before_sites || !files::read(fields[4], known.pairs) ||
        !files::read(fields[5], known.mean) || !files::read(fields[6], known.squares) || known.pairs < 0 ||
        !std::isfinite(known.mean) || !(known.squares >= 0) || !std::isfinite(known.squares))
      continue;
    place::stretch alone;
    bool whole = true;
    for (std::size_t i = fields_before_sites; i < fields.size(); ++i) whole = whole && read_site(fields[i], alone);
    if (whole) return {known, fields[7] == "locality" ? placement::locality : placement::dbs, std::move(alone)};
  }
  return {};
}

void keep_place(const std::string& file, int workers, const comparison& what) noexcept try {
  if (file.empty()) return;
  const std::string key = key_of(workers);
  std::vector<std::string> lines = lines_of(file);
  std::erase_if(lines, [&](const std::string& line) { return line.starts_with(key); });
  if (lines.size() >= most_lines) lines.erase(lines.begin(), lines.end() - (most_lines - 1));  // the oldest go
  std::string line =
      fmt::format("{}{}\t{}\t{:.9g}\t{:.9g}\t{}", key, std::time(nullptr), what.known().pairs, what.known().mean,
                  what.known().squares, what.alone_under() == placement::locality ? "locality" : "dbs");
  for (const auto& [site, t] : what.alone()) line += fmt::format("\t{} {:.9g} {}", t.tasks, t.seconds, site);
  lines.push_back(std::move(line));
  const std::filesystem::path to(file);
  std::error_code ignored;
  if (to.has_parent_path()) std::filesystem::create_directories(to.parent_path(), ignored);
  std::string text(first_line);
  text += '\n';
  for (const std::string& one : lines) text.append(one) += '\n';
  files::replace_file(file, text, {.mark = mark, .durable = false});
} catch (...) {  // it is only kept to save time
}

place_choice::place_choice(int workers, std::string file) : workers_(workers), file_(std::move(file)) {
  const base::locked held(lock_);
  if (!file_.empty()) found_ = read_place(file_, workers_);
  begin_stretch();
}

bool place_choice::has_chosen_dbs() noexcept {
  const base::locked held(lock_);
  return found_.chosen() == placement::dbs;
}

void place_choice::begin_stretch() {
  stretch_.clear();
  tasks_ = 0;
  seconds_ = 0;
  is_long_.store(false, std::memory_order_relaxed);
  const place_in_force before = unpacked(now_.load(std::memory_order_relaxed));
  const placement next = found_.next();
  now_.store(packed({next == placement::locality, !found_.chosen(), before.stretch + 1}), std::memory_order_release);
  tell();
}

void place_choice::tell() const {
  const comparison::evidence& known = found_.known();
  const std::optional<placement> chosen = found_.chosen();
  told_place now{chosen ? chosen == placement::locality : this->now().near, chosen.has_value(), known.pairs,
                 std::exp(known.mean), 0};
  if (known.pairs >= 2) now.error = now.ratio * place::half_interval(known);
  maslin::tell(now);
}

void place_choice::hand_in(const place_in_force& during, place_meter& sums) noexcept try {
  const base::locked held(lock_);
  const bool counts = during == now() && during.measures;  // otherwise it is over
  // The lambda, too, has the lock, which clang cannot see where a template calls it.
  sums.take_each([&](const place_meter::site& s) MASLIN_UNCHECKED {
    if (!counts) return;
    const double seconds = static_cast<double>(s.ticks) * base::seconds_per_tick();
    place::taken& into = stretch_[files::field(fmt::format("{}:{}", s.where.file_name(), s.where.line()))];
    into.tasks += s.tasks;
    into.seconds += seconds;
    tasks_ += s.tasks;
    seconds_ += seconds;
  });
  if (seconds_ >= least_seconds && tasks_ >= least_tasks) is_long_.store(true, std::memory_order_relaxed);
} catch (const std::bad_alloc&) {  // it does not count
}

void place_choice::end_stretch() noexcept try {
  const base::locked held(lock_);
  if (!is_long()) return;
  if (stretches_++ == 0) {
    first_ = stretch_;
    first_was_near_ = now().near;
  } else {
    if (stretches_ == 2) found_.forget_alone();
    add(now().near, stretch_);
  }
  begin_stretch();
} catch (const std::bad_alloc&) {  // it goes on
}

void place_choice::add(bool near, const place::stretch& what) {
  found_.add(near ? placement::locality : placement::dbs, what);
  is_new_ = true;
}

void place_choice::end() noexcept try {
  const base::locked held(lock_);
  if (stretches_ > 1)
    found_.forget_alone();
  else if (stretches_ == 1)
    add(first_was_near_, first_);
  else if (now().measures && seconds_ >= least_seconds_of_run && tasks_ >= least_tasks)
    add(now().near, stretch_);
  tell();
  if (is_new_) keep_place(file_, workers_, found_);
} catch (const std::bad_alloc&) {  // the next run finds out anew
}

}  // namespace maslin
