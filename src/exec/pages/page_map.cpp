#include "exec/pages/page_map.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace maslin::pages {

namespace {

bool is_inside(const watched_task& task, const watched_task& other) noexcept {
  for (const watched_task* at = task.creator; at; at = at->creator)
    if (at == &other) return true;
  return false;
}

}  // namespace

/// Gives the first piece that begins there or later, after what lies there was cut in two.
page_map::pieces::iterator page_map::cut(std::uintptr_t at) {
  const auto next = pieces_.lower_bound(at);
  if (next == pieces_.begin() || (next != pieces_.end() && next->first == at)) return next;
  piece& before = std::prev(next)->second;
  if (before.end <= at) return next;
  const auto behind = pieces_.emplace_hint(next, at, before);
  before.end = at;
  return behind;
}

template <class See>
void page_map::for_pieces(const use& of, See&& see) noexcept {
  for (auto at = pieces_.lower_bound(of.start); at != pieces_.end() && at->first < of.end;) see(at++);
}

void page_map::add(const watched_task& task) {
  if (is_lifted_) return;
  bool is_known = false;
  bool is_watched = false;
  for (const use& u : task.uses) {
    if (u.is_first) is_known = false;
    cut(u.end);
    auto next = cut(u.start);
    for (std::uintptr_t at = u.start; at < u.end; at = std::prev(next)->second.end) {
      if (next == pieces_.end() || next->first > at) {
        if (!is_known) is_watched = system_.is_writable(at);
        piece fresh{next == pieces_.end() ? u.end : std::min(u.end, next->first), right::all, is_watched, {}};
        next = pieces_.emplace_hint(next, at, std::move(fresh));
      }
      if (!is_known) is_watched = next->second.is_watched;
      is_known = true;
      next->second.parts.push_back({&task, u.own, u.left});
      ++next;
    }
  }
  refresh(task);
}

void page_map::remove(const watched_task& task) noexcept {
  for (runner* at = running_; at; at = at->next)
    if (at->now.in == &task) at->now = {task.creator, task.is_adrift};
  if (is_lifted_) return;
  for (const use& u : task.uses)
    for_pieces(u, [&](pieces::iterator at) {
      std::erase_if(at->second.parts, [&](const part& p) { return p.by == &task; });
      if (!at->second.parts.empty()) return apply(*at);
      set(*at, right::all);
      pieces_.erase(at);
    });
}

void page_map::run(runner& thread, const code& now) noexcept {
  if (is_lifted_) return;
  const code before = std::exchange(thread.now, now);
  if (now.is_in_task() && !thread.is_listed) {
    thread.next = std::exchange(running_, &thread);
  } else if (!now.is_in_task() && thread.is_listed) {
    runner** at = &running_;
    while (*at != &thread) at = &(*at)->next;
    *at = thread.next;
  }
  thread.is_listed = now.is_in_task();
  if (is_stretched_) {
    is_stretched_ = false;
    for (auto& p : pieces_) apply(p);
    return;
  }
  refresh_all_of(before);
  refresh_all_of(now);
}

void page_map::refresh(const watched_task& task) noexcept {
  if (is_lifted_) return;
  for (const use& u : task.uses) for_pieces(u, [&](pieces::iterator at) { apply(*at); });
}

/// Elsewhere it makes no difference in whose name code runs.
void page_map::refresh_all_of(const code& who) noexcept {
  for (const watched_task* at = who.in; at; at = at->creator) refresh(*at);
}

right page_map::right_of(const piece& p, const code& who, finding* why) noexcept {
  const auto note = [&](const watched_task* declares, const watched_task* other) {
    if (why) why->declares = declares, why->other = other;
  };
  for (const watched_task* at = who.in; at; at = at->creator) {
    bool declares = false;
    right own = right::none, left = right::all;
    const watched_task* other = nullptr;
    for (const part& one : p.parts) {
      if (one.by == at) {
        declares = true;
        own = std::max(own, one.own);
      } else if (one.left < left && is_inside(*one.by, *at)) {
        left = one.left;
        other = one.by;
      }
    }
    if (!declares) continue;
    note(at, left < own ? other : nullptr);
    return std::min(own, left);
  }
  right left = right::all, begun = right::none;
  for (const part& one : p.parts) {
    if (one.left < left) {
      left = one.left;
      note(nullptr, one.by);
    }
    if (one.by->has_begun) begun = std::max(begun, one.own);
  }
  return who.is_adrift ? std::max(left, begun) : left;
}

right page_map::wanted(const piece& p) const noexcept {
  if (!running_) return right_of(p, {});
  right most = right::none;
  for (const runner* at = running_; at; at = at->next) most = std::max(most, right_of(p, at->now));
  return most;
}

void page_map::set(pieces::value_type& p, right now) noexcept {
  piece& those = p.second;
  if (!those.is_watched || those.now == now) return;
  switch (system_.set(p.first, those.end, now)) {
    case page_system::outcome::done:
      those.now = now;
      break;
    case page_system::outcome::not_such_pages:  // the program has given them back, say
      those.is_watched = false;
      break;
    case page_system::outcome::no_mappings:
      is_exhausted_ = true;
      break;
  }
}

void page_map::lift() noexcept {
  is_lifted_ = true;
  for (; running_; running_ = running_->next) running_->is_listed = false;
  // Pages that may be written are one mapping with those before them, so that the next ones need no more mappings.
  std::size_t before;
  do {
    before = pieces_.size();
    for (auto at = pieces_.begin(); at != pieces_.end();) {
      at->second.parts.clear();
      set(*at, right::all);
      const bool is_kept = at->second.is_watched && at->second.now != right::all;
      at = is_kept ? std::next(at) : pieces_.erase(at);
    }
  } while (!pieces_.empty() && pieces_.size() < before);
}

page_map::finding page_map::look(std::uintptr_t at, const code& who, bool writes) noexcept {
  auto found = pieces_.upper_bound(at);
  if (found == pieces_.begin() || (--found)->second.end <= at || !found->second.is_watched) return {};
  piece& p = found->second;
  finding why;
  const right granted = is_lifted_ ? right::all : right_of(p, who, &why);
  if (granted >= (writes ? right::all : right::read)) {
    is_stretched_ = true;
    set(*found, std::max(granted, p.now));
    why.is = finding::kind::allowed;
  } else if (why.other) {
    why.is = finding::kind::in_use;
  } else {
    why.is = granted == right::read ? finding::kind::writes_in : finding::kind::elsewhere;
  }
  return why;
}

}  // namespace maslin::pages
