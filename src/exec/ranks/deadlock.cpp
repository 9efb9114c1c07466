#include "exec/ranks/deadlock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstring>
#include <map>
#include <tuple>

#include "exec/ranks/world.hpp"

namespace maslin {

namespace {

constexpr std::size_t most_shown = 32;  // ranks
constexpr std::size_t most_listed = 8;  // of the requests of a rank, and of ranks in a line

/// What processes know a group by.
struct group_key {
  std::uint32_t number;
  int first;  ///< of its ranks: groups of one `split` have one number
  auto operator<=>(const group_key&) const = default;
};
group_key key_of(const rank_group& of) { return {of.number, of.ranks.front()}; }

/// For whom somebody waits: a rank, any other rank of a communicator, or those of its ranks that have not come to a
/// call of all.
enum class whom : std::uint8_t { nobody, rank, any, missing };

// What the processes say. Each text is its length and its bytes.

/// The place of its wait and what it waits for follow.
struct packed_rank {
  int rank;
  bool has_ended, is_one_enough;
  std::uint32_t awaited;
};
/// Its text follows.
struct packed_one {
  whom is;
  bool is_in_slots;
  int rank;
  group_key in;
  std::uint64_t number;
  std::uint32_t times;  ///< so many requests are alike
};
struct packed_calls {
  int rank;
  group_key in;
  std::uint64_t next, in_slots;
};
/// Its ranks follow.
struct packed_group {
  group_key key;
  std::uint32_t ranks;
};

template <class T>
void put(std::vector<std::byte>& to, const T& one) {
  append(to, &one, sizeof one);
}
void put_text(std::vector<std::byte>& to, const std::string& text) {
  put(to, static_cast<std::uint32_t>(text.size()));
  append(to, text.data(), text.size());
}

class reader {
 public:
  explicit reader(std::span<const std::byte> from) : left_(from) {}
  bool is_at_end() const noexcept { return left_.empty(); }
  std::span<const std::byte> bytes(std::size_t count) {
    const auto found = left_.first(count);
    left_ = left_.subspan(count);
    return found;
  }
  template <class T>
  T take() {
    T one;
    std::memcpy(&one, bytes(sizeof one).data(), sizeof one);
    return one;
  }
  std::string text() {
    const auto size = take<std::uint32_t>();
    return {reinterpret_cast<const char*>(bytes(size).data()), size};
  }

 private:
  std::span<const std::byte> left_;
};

// What one rank says.

bool is_same(const location& a, const location& b) {
  return a.line() == b.line() && std::strcmp(a.file_name(), b.file_name()) == 0;
}
bool are_alike(const awaited_one& a, const awaited_one& b) {
  return a.is == b.is && a.in == b.in && is_same(a.begun, b.begun) && a.rank == b.rank && a.tag == b.tag &&
         a.number == b.number;
}

/// "at file.cpp:12"; in front of it the function, which a place in an MPI program has behind its "@".
std::string told_place(const location& at, const char* function) {
  const char* const file = at.file_name();
  if (file[0] == '@' && file[1] != '\0') function = file + 1;
  return (function ? fmt::format("in {} ", function) : std::string()) + fmt::format("at {}:{}", file, at.line());
}

std::string told_communicator(const detail::rank_member* its) {
  if (!its || (its->name.empty() && its->made.line() == 0)) return {};
  return " of " + (its->name.empty() ? "the communicator made " + told_place(its->made, nullptr) : its->name);
}

/// What follows "rank 0 waits", for a call of all behind who has not come.
std::string told(const awaited_one& one) {
  using enum awaited_one::what;
  const std::string peer = one.rank == any_source ? "any rank" : fmt::format("rank {}", one.rank);
  const std::string tag = one.tag == any_tag ? "any tag" : fmt::format("tag {}", one.tag);
  switch (one.is) {
    case receive:
      return fmt::format("to receive from {} with {}", peer, tag) + told_communicator(one.in);
    case send:
      return fmt::format("to send to {} with {}", peer, tag) + told_communicator(one.in);
    case probe:
      return fmt::format("to probe {} for {}", peer, tag) + told_communicator(one.in);
    case call_of_all:
      return "to come to a call of all ranks" + told_communicator(one.in);
    case answer:
      break;
  }
  return "for the name of a communicator";
}

whom awaits_whom(const awaited_one& one) {
  using enum awaited_one::what;
  if (one.is == answer) return whom::nobody;
  if (one.is == call_of_all) return whom::missing;
  return one.rank == any_source ? whom::any : whom::rank;
}

}  // namespace

void told_waits::add(int rank, const rank_wait* waits) {
  std::vector<std::pair<const awaited_one*, std::uint32_t>> all;
  if (!waits) {
    put(ranks_, packed_rank{rank, true, false, 0});
    return put_text(ranks_, {});
  }
  for (const awaited_one& one : waits->all) {
    if (all.empty() || !are_alike(*all.back().first, one)) all.emplace_back(&one, 0);
    ++all.back().second;
  }
  put(ranks_, packed_rank{rank, false, waits->is_one_enough, static_cast<std::uint32_t>(all.size())});
  const bool is_alone = all.size() == 1 && is_same(all.front().first->begun, waits->where);
  put_text(ranks_, told_place(waits->where, is_alone ? all.front().first->name : nullptr));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [one, times] = all[i];
    put(ranks_, packed_one{awaits_whom(*one), one->is_in_slots, one->rank, one->in ? key_of(one->in->in) : group_key{},
                           one->number, times});
    if (one->in) add_group(one->in->in);
    std::string text;
    if (i < most_listed) {
      text = told(*one);
      if (!is_same(one->begun, waits->where)) text += ", begun " + told_place(one->begun, one->name);
    }
    put_text(ranks_, text);
  }
}

void told_waits::add_calls(int rank, const rank_group& in, std::uint64_t next, std::uint64_t in_slots) {
  put(calls_, packed_calls{rank, key_of(in), next, in_slots});
}

void told_waits::add_group(const rank_group& one) {
  if (!has_groups_.insert(&one).second) return;
  put(groups_, packed_group{key_of(one), static_cast<std::uint32_t>(one.ranks.size())});
  append(groups_, one.ranks.data(), one.ranks.size() * sizeof(int));
}

std::vector<std::byte> told_waits::as_bytes() const {
  const std::size_t sizes[] = {ranks_.size(), calls_.size(), groups_.size()};
  std::vector<std::byte> all(sizeof sizes);
  std::memcpy(all.data(), sizes, sizeof sizes);
  for (const std::vector<std::byte>* one : {&ranks_, &calls_, &groups_}) append(all, one->data(), one->size());
  return all;
}

namespace {

/// Some ranks, and how many of them are what `deadlock` looks at.
struct crowd {
  std::vector<int> ranks;
  std::size_t live = 0;      ///< have not ended
  std::size_t enclosed = 0;  ///< are in the set
};

class deadlock {
 public:
  explicit deadlock(int ranks) : all_(static_cast<std::size_t>(ranks)) {}
  void read(std::span<const std::byte> told);
  std::string text();

 private:
  struct awaited_from {
    whom is;
    int rank;
    crowd* of;  ///< for `any` and `missing`
    packed_one as_told;
    std::string text;
  };
  struct rank_here {
    bool has_ended = false, is_one_enough = false;
    std::string place;
    std::vector<awaited_from> all;
    bool is_enclosed = false;
  };
  rank_here& at(int rank) { return all_[static_cast<std::size_t>(rank)]; }

  void find_crowds();
  std::vector<int> missing(const packed_one& from);
  void enclose();
  bool is_enclosed(const awaited_from& one, int rank);
  bool is_hopeless(const awaited_from& one);
  bool stays(int rank);
  int one_of(const awaited_from& one, int rank);
  int first_awaited(int rank);
  std::vector<int> all_awaited(int rank);
  std::vector<int> closed_set(int from);
  std::vector<int> find_cycle();

  std::string line_of(int rank);
  static std::string list(const std::vector<int>& ranks);

  std::vector<rank_here> all_;
  std::map<group_key, std::vector<int>> groups_;
  std::map<group_key, std::map<int, packed_calls>> calls_;
  std::map<std::tuple<whom, bool, group_key, std::uint64_t>, crowd> crowds_;
  bool is_cycle_ = false;
};

void deadlock::read(std::span<const std::byte> told) {
  reader whole(told);
  const auto ranks = whole.take<std::size_t>(), calls = whole.take<std::size_t>(), groups = whole.take<std::size_t>();
  for (reader from(whole.bytes(ranks)); !from.is_at_end();) {
    const auto head = from.take<packed_rank>();
    rank_here& its = at(head.rank);
    its.has_ended = head.has_ended;
    its.is_one_enough = head.is_one_enough;
    its.place = from.text();
    for (std::uint32_t i = 0; i < head.awaited; ++i) {
      const auto one = from.take<packed_one>();
      its.all.push_back({one.is, one.rank, nullptr, one, from.text()});
    }
  }
  for (reader from(whole.bytes(calls)); !from.is_at_end();) {
    const auto one = from.take<packed_calls>();
    calls_[one.in][one.rank] = one;
  }
  for (reader from(whole.bytes(groups)); !from.is_at_end();) {
    const auto head = from.take<packed_group>();
    std::vector<int> members(head.ranks);
    const auto bytes = from.bytes(members.size() * sizeof(int));
    std::memcpy(members.data(), bytes.data(), bytes.size());
    groups_[head.key] = std::move(members);
  }
}

/// The ranks of the communicator that have not come to that call.
std::vector<int> deadlock::missing(const packed_one& from) {
  const std::map<int, packed_calls>& calls = calls_[from.in];
  std::vector<int> found = groups_[from.in];
  std::erase_if(found, [&](int rank) {
    const auto its = calls.find(rank);
    if (its == calls.end()) return false;
    return from.is_in_slots ? its->second.in_slots >= from.number : its->second.next > from.number;
  });
  return found;
}

void deadlock::find_crowds() {
  for (rank_here& its : all_)
    for (awaited_from& one : its.all) {
      if (one.is != whom::any && one.is != whom::missing) continue;
      const packed_one& from = one.as_told;
      const auto [found, is_new] = crowds_.try_emplace({one.is, from.is_in_slots, from.in, from.number});
      one.of = &found->second;
      if (!is_new) continue;
      one.of->ranks = one.is == whom::any ? groups_[from.in] : missing(from);
      std::sort(one.of->ranks.begin(), one.of->ranks.end());
      one.of->live = static_cast<std::size_t>(
          std::count_if(one.of->ranks.begin(), one.of->ranks.end(), [this](int rank) { return !at(rank).has_ended; }));
    }
}

/// Nothing but what ranks of the set do lets the rank have this.
bool deadlock::is_enclosed(const awaited_from& one, int rank) {
  switch (one.is) {
    case whom::rank:
      return at(one.rank).is_enclosed;
    case whom::any:  // the rank itself is one of them
      return at(rank).is_enclosed && one.of->live > 1 && one.of->enclosed == one.of->live;
    case whom::missing:
      return one.of->enclosed > 0;
    case whom::nobody:
      break;
  }
  return false;
}
/// It never comes, since ranks have ended.
bool deadlock::is_hopeless(const awaited_from& one) {
  switch (one.is) {
    case whom::rank:
      return at(one.rank).has_ended;
    case whom::any:
      return one.of->live <= 1;
    case whom::missing:
      return one.of->live < one.of->ranks.size();
    case whom::nobody:
      break;
  }
  return false;
}
bool deadlock::stays(int rank) {
  const rank_here& its = at(rank);
  const auto is = [&](const awaited_from& one) { return is_enclosed(one, rank); };
  return std::any_of(its.all.begin(), its.all.end(), is) &&
         (!its.is_one_enough || std::all_of(its.all.begin(), its.all.end(),
                                            [&](const awaited_from& one) { return is(one) || is_hopeless(one); }));
}

/// Finds the largest set of ranks none of which can go on before another of them does: at first all, and then fewer.
void deadlock::enclose() {
  for (rank_here& its : all_) its.is_enclosed = !its.has_ended;
  for (bool changes = true; changes;) {
    changes = false;
    for (auto& [key, one] : crowds_)
      one.enclosed = static_cast<std::size_t>(
          std::count_if(one.ranks.begin(), one.ranks.end(), [this](int rank) { return at(rank).is_enclosed; }));
    for (int rank = 0; rank < static_cast<int>(all_.size()); ++rank) {
      if (!at(rank).is_enclosed || stays(rank)) continue;
      at(rank).is_enclosed = false;
      changes = true;
    }
  }
}

/// Gives a rank of the set that this waits for.
int deadlock::one_of(const awaited_from& one, int rank) {
  if (one.is == whom::rank) return one.rank;
  return *std::find_if(one.of->ranks.begin(), one.of->ranks.end(),
                       [&](int other) { return other != rank && at(other).is_enclosed; });
}
int deadlock::first_awaited(int rank) {
  for (const awaited_from& one : at(rank).all)
    if (is_enclosed(one, rank)) return one_of(one, rank);
  return any_source;
}
/// Gives all ranks each of which would let it go on; where it needs something of each, one of them.
std::vector<int> deadlock::all_awaited(int rank) {
  const rank_here& its = at(rank);
  std::vector<int> found;
  for (const awaited_from& one : its.all) {
    if (!is_enclosed(one, rank)) continue;
    if (one.is == whom::any)
      std::copy_if(one.of->ranks.begin(), one.of->ranks.end(), std::back_inserter(found),
                   [&](int other) { return other != rank && !at(other).has_ended; });
    else
      found.push_back(one_of(one, rank));
    if (!its.is_one_enough) break;
  }
  return found;
}
/// The ranks that can be reached from that one.
std::vector<int> deadlock::closed_set(int from) {
  std::vector<bool> has(all_.size());
  std::vector<int> found{from};
  has[static_cast<std::size_t>(from)] = true;
  for (std::size_t next = 0; next < found.size(); ++next)
    for (const int other : all_awaited(found[next])) {
      if (has[static_cast<std::size_t>(other)]) continue;
      has[static_cast<std::size_t>(other)] = true;
      found.push_back(other);
    }
  return found;
}

/// Gives ranks in a circle, each of which waits for the next one (`is_cycle_`); otherwise ranks that wait for each
/// other alone, or none.
std::vector<int> deadlock::find_cycle() {
  std::vector<int> seen_from(all_.size(), -1), others;
  for (int start = 0; start < static_cast<int>(all_.size()); ++start) {
    if (!at(start).is_enclosed) continue;
    int rank = start;
    while (seen_from[static_cast<std::size_t>(rank)] < 0) {
      seen_from[static_cast<std::size_t>(rank)] = start;
      rank = first_awaited(rank);
    }
    if (seen_from[static_cast<std::size_t>(rank)] != start) continue;
    std::vector<int> circle{rank};
    for (int next = first_awaited(rank); next != rank; next = first_awaited(next)) circle.push_back(next);
    // Who waits for one of several ranks is in the circle only if all of them are.
    std::vector<int> closed = closed_set(rank);
    is_cycle_ = closed.size() == circle.size();
    if (is_cycle_) return circle;
    if (others.empty()) others = std::move(closed);
  }
  std::sort(others.begin(), others.end());
  return others;
}

/// "rank 1", or "ranks 0, 1 and 4"; of many the first ones.
std::string deadlock::list(const std::vector<int>& ranks) {
  if (ranks.empty()) return "all ranks";
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  std::string text = "ranks";
  const std::size_t shown = ranks.size() > most_listed + 1 ? most_listed : ranks.size() - 1;
  for (std::size_t i = 0; i < shown; ++i) text += fmt::format("{} {}", i > 0 ? "," : "", ranks[i]);
  return text + (shown + 1 == ranks.size() ? fmt::format(" and {}", ranks.back())
                                           : fmt::format(" and {} more", ranks.size() - shown));
}

std::string deadlock::line_of(int rank) {
  const rank_here& its = at(rank);
  if (its.has_ended) return fmt::format("\n  rank {} has ended", rank);
  if (its.all.empty()) return fmt::format("\n  rank {} goes on", rank);
  const auto whole = [](const awaited_from& one) {
    return (one.is == whom::missing ? "for " + list(one.of->ranks) + " " : std::string()) + one.text;
  };
  std::size_t count = 0;
  for (const awaited_from& one : its.all) count += one.as_told.times;
  if (count == 1) return fmt::format("\n  rank {} waits {}, {}", rank, whole(its.all[0]), its.place);
  std::string text = fmt::format("\n  rank {} waits to complete {}{} requests, {}:", rank,
                                 its.is_one_enough ? "one of " : "", count, its.place);
  for (const awaited_from& one : its.all) {
    if (one.text.empty()) break;
    text +=
        "\n    " + (one.as_told.times > 1 ? fmt::format("{} times ", one.as_told.times) : std::string()) + whole(one);
    count -= one.as_told.times;
  }
  return count > 0 ? text + fmt::format("\n    and {} more", count) : text;
}

std::string deadlock::text() {
  find_crowds();
  enclose();
  const std::vector<int> cycle = find_cycle();
  std::vector<bool> is_shown(all_.size());
  std::size_t shown = 0;
  const auto show = [&](int rank) {
    if (shown >= most_shown || is_shown[static_cast<std::size_t>(rank)]) return;
    is_shown[static_cast<std::size_t>(rank)] = true;
    ++shown;
  };
  for (const int rank : cycle) show(rank);
  for (int rank = 0; rank < static_cast<int>(all_.size()); ++rank) show(rank);
  std::string text = "all ranks of ms::ranks wait for each other:";
  for (int rank = 0; rank < static_cast<int>(all_.size()); ++rank)
    if (is_shown[static_cast<std::size_t>(rank)]) text += line_of(rank);
  if (shown < all_.size()) text += fmt::format("\n  and {} more", all_.size() - shown);
  if (cycle.empty()) return text;
  if (!is_cycle_) return text + fmt::format("\n  none of {} goes on before another of them does", list(cycle));
  text += fmt::format("\n  a cycle: rank {}", cycle[0]);
  for (std::size_t i = 1; i <= cycle.size() && i <= most_shown; ++i)
    text += fmt::format(" waits for rank {}", cycle[i % cycle.size()]);
  if (cycle.size() > most_shown) text += fmt::format(", and so on; {} ranks in all", cycle.size());
  return text;
}

}  // namespace

std::string who_waits_for_whom(int ranks, std::span<const std::vector<std::byte>> told) {
  deadlock all(ranks);
  for (const std::vector<std::byte>& one : told) all.read(one);
  return all.text();
}

}  // namespace maslin
