#include "task_data.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "maslin/error.hpp"
#include "output.hpp"

using namespace maslin::trace;

namespace {

using accesses = std::vector<named_access>;

class reading {
 public:
  reading(const file& trace, const std::string& path, task_data_observer& to)
      : trace_(trace), path_(path), to_(to), tracks_(static_cast<std::size_t>(trace.about().workers) + 1) {}

  std::uint64_t seen() const { return accesses_; }

  void add(const event& e) {
    track& t = e.worker < 0 ? tracks_.back() : tracks_[static_cast<std::size_t>(e.worker)];
    if (e.kind != event_kind::accessed && e.kind != event_kind::member) t.created.reset();
    switch (e.kind) {
      case event_kind::task_create:
        t.created = e.argument;
        (e.argument == ran_at_once ? t.at_once : waiting_[e.argument]).clear();
        break;
      case event_kind::accessed:
        if (t.created) keep(t, {form(e.id), e.argument});
        break;
      case event_kind::task_begin:
        begin(t, e);
        break;
      case event_kind::task_end:
        end(t, e);
        break;
      default:
        break;
    }
  }

 private:
  struct track {
    std::optional<std::uint64_t> created;  ///< the task whose accesses follow
    accesses at_once;                      ///< of the task that was created to run at once
    std::vector<accesses> running;         ///< tasks that run at once, the innermost last
  };

  /// The accesses of a task follow its creation on its creator's track; then it may begin, on any.
  void keep(track& t, const named_access& a) {
    if (*t.created == ran_at_once)
      t.at_once.push_back(a);
    else if (const auto found = waiting_.find(*t.created); found != waiting_.end())
      found->second.push_back(a);
  }

  access_form form(std::uint32_t id) {
    auto found = forms_.find(id);
    if (found == forms_.end()) {
      const auto parsed = parse_access_form(trace_.name(id));
      if (!parsed) damaged(fmt::format("'{}' is no access", trace_.name(id)));
      found = forms_.emplace(id, *parsed).first;
    }
    return found->second;
  }

  void begin(track& t, const event& e) {
    accesses all;
    if (e.argument == ran_at_once) {
      all = std::exchange(t.at_once, {});
    } else if (const auto found = waiting_.find(e.argument); found != waiting_.end()) {
      all = std::move(found->second);
      waiting_.erase(found);
    } else {
      return;  // the graph's own, which moves data
    }
    for (const named_access& a : all) expect_in_memory(a);
    accesses_ += all.size();
    to_.begins(e, all);
    if (e.argument == ran_at_once)
      t.running.push_back(std::move(all));
    else
      running_[e.argument] = std::move(all);
  }

  void end(track& t, const event& e) {
    accesses all;
    if (e.argument == ran_at_once) {
      if (t.running.empty()) return;
      all = std::move(t.running.back());
      t.running.pop_back();
    } else {
      const auto found = running_.find(e.argument);
      if (found == running_.end()) return;
      all = std::move(found->second);
      running_.erase(found);
    }
    to_.ends(e, all);
  }

  /// An access has to lie where a program's data can lie.
  void expect_in_memory(const named_access& a) const {
    constexpr std::uint64_t end_of_memory = std::uint64_t{1} << 63;
    std::uint64_t end = 0;
    if (a.form.columns == 0 || a.form.bytes == 0) return;
    if (__builtin_mul_overflow(a.form.columns - 1, a.form.stride, &end) ||
        __builtin_add_overflow(end, a.form.bytes, &end) || __builtin_add_overflow(end, a.address, &end) ||
        end > end_of_memory || a.form.columns > most_columns)
      damaged(fmt::format("an access of '{}' at {:#x} lies outside all memory", to_string(a.form), a.address));
  }

  [[noreturn]] void damaged(const std::string& why) const {
    throw maslin::error(fmt::format("the trace '{}' is damaged: {}", path_, why));
  }

  static constexpr std::uint64_t most_columns = std::uint64_t{1} << 32;

  const file& trace_;
  const std::string& path_;
  task_data_observer& to_;
  std::uint64_t accesses_ = 0;  ///< of tasks that have begun
  std::vector<track> tracks_;   ///< by worker; the last one is that of threads that are no workers
  std::unordered_map<std::uint64_t, accesses> waiting_;  ///< tasks that were created and have not begun
  std::unordered_map<std::uint64_t, accesses> running_;
  std::unordered_map<std::uint32_t, access_form> forms_;
};

}  // namespace

void each_task_with_data(const file& trace, const std::string& path, const std::string& what, task_data_observer& to) {
  const summary& about = trace.about();
  const auto refuse = [&](const std::string& why, bool lost = true) {
    throw no_task_data(fmt::format("the trace '{}' does not tell {}: {}", path, what, why), lost);
  };
  if (about.version < 2) refuse("it was recorded by a Maslin that did not keep what tasks access; record it anew");
  if (about.only_streams)
    refuse("it was recorded with MASLIN_TRACE_DETAIL=streams, which leaves out tasks; record it without");
  if (about.dropped() > 0)
    refuse(fmt::format(
        "it lacks {} events, which came faster than they could be written; record it with MASLIN_TRACE_FULL=wait",
        about.dropped()));
  reading from(trace, path, to);
  progress bar("reading", about.events());
  std::uint64_t seen = 0;
  trace.each_event([&](const event& e) {
    from.add(e);
    if ((++seen & 0xffff) == 0) bar.at(seen);
  });
  if (from.seen() == 0) refuse("none of its tasks names data; loops and kernels do not say what they access", false);
}
