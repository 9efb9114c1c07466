// Groups of ranks that become communicators, and calls of all whose ranks are in several processes.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <typeinfo>
#include <utility>

#include "exec/ranks/started.hpp"
#include "maslin/error.hpp"

namespace maslin {

std::vector<int> world::other_processes(const std::vector<int>& ranks) const {
  std::vector<int> found;
  if (!across_) return found;
  std::vector<bool> has_some(static_cast<std::size_t>(across_->processes()));
  for (const int rank : ranks) has_some[static_cast<std::size_t>(across_->process_of(rank))] = true;
  for (int process = 0; process < across_->processes(); ++process)
    if (process != across_->mine() && has_some[static_cast<std::size_t>(process)]) found.push_back(process);
  return found;
}

std::shared_ptr<const std::vector<int>> world::ranks_here(const std::vector<int>& ranks) const {
  if (!across_) return nullptr;
  auto found = std::make_shared<std::vector<int>>();
  for (const int rank : ranks)
    if (is_here(rank)) found->push_back(rank);
  return found->size() < ranks.size() ? found : nullptr;
}

group_name world::new_name(int across) {
  const base::locked held(groups_lock_);
  return next_name(across);
}

group_name world::next_name(int across) {
  constexpr unsigned bits_of_process = 6;
  static_assert(gateway::most_processes <= 1 << bits_of_process);
  ++groups_made_;
  if (!across_) return {groups_made_, 0};
  if (groups_made_ >> (32 - bits_of_process) != 0)
    throw error(
        "split and among: this process has made 67 million communicators, and there are no numbers for more; make "
        "fewer");
  return {groups_made_ << bits_of_process | static_cast<std::uint32_t>(across_->mine()),
          across > 0 ? across_->claim_slots(across) : 0};
}

std::shared_ptr<rank_group> world::make_group(group_name name, std::vector<int> ranks) const {
  std::vector<int> others = other_processes(ranks);
  auto here = ranks_here(ranks);
  const std::size_t most = most_in_a_process(ranks);
  call_slots::in_shared_memory* const claimed = name.shared_slots > 0 ? across_->slots(name.shared_slots) : nullptr;
  std::unique_ptr<call_slots> slots = slots_for(ranks, claimed);
  return std::make_shared<rank_group>(name.number, std::move(ranks), std::move(others), std::move(here), most,
                                      std::move(slots), claimed);
}

std::unique_ptr<call_slots> world::slots_for(const std::vector<int>& ranks,
                                             call_slots::in_shared_memory* shared) const {
  if (ranks.size() < 2 || ranks.size() > call_slots::most_ranks) return nullptr;
  if (other_processes(ranks).empty()) return have_workers_ ? std::make_unique<call_slots>(ranks.size()) : nullptr;
  return shared ? std::make_unique<call_slots>(*shared, ranks) : nullptr;
}

std::size_t world::most_in_a_process(const std::vector<int>& ranks) const {
  if (!across_) return ranks.size();
  std::vector<std::size_t> counts(static_cast<std::size_t>(across_->processes()));
  for (const int rank : ranks) ++counts[static_cast<std::size_t>(across_->process_of(rank))];
  return *std::max_element(counts.begin(), counts.end());
}

group_name world::join_name(std::uint32_t parent, std::vector<int> ranks, int tag, int as) {
  const auto member = static_cast<std::size_t>(as);
  const base::locked held(groups_lock_);
  // One rank may ask for a second such group before another asks for the first.
  auto one = std::find_if(forming_.begin(), forming_.end(), [&](const forming_group& f) {
    return f.parent == parent && f.tag == tag && f.ranks == ranks && !f.has_joined[member];
  });
  if (one == forming_.end()) {
    std::vector<bool> has_joined(ranks.size());
    const int across = other_processes(ranks).empty() ? 0 : static_cast<int>(ranks.size());
    forming_.push_back({parent, tag, next_name(across), std::move(ranks), std::move(has_joined)});
    one = std::prev(forming_.end());
  }
  const group_name name = one->name;
  one->has_joined[member] = true;
  if (++one->joined == one->ranks.size()) forming_.erase(one);
  return name;
}

namespace {

struct join_question {
  int tag, as;
};

std::uint64_t as_answer(group_name name) noexcept { return std::uint64_t{name.shared_slots} << 32 | name.number; }
group_name named_by(std::uint64_t answer) noexcept {
  return {static_cast<std::uint32_t>(answer), static_cast<std::uint32_t>(answer >> 32)};
}

}  // namespace

std::shared_ptr<rank_group> world::join_group(const rank_group& parent, std::vector<int> ranks, int tag, int as,
                                              location where) {
  const int rank = ranks[static_cast<std::size_t>(as)];
  group_name name;
  if (is_here(ranks.front())) {
    name = join_name(parent.number, ranks, tag, as);
  } else {
    const join_question asks{tag, as};
    letter one{letter::what::join, parent.number, 0, 0,
               std::vector<std::byte>(sizeof asks + ranks.size() * sizeof(int))};
    std::memcpy(one.text.data(), &asks, sizeof asks);
    std::memcpy(one.text.data() + sizeof asks, ranks.data(), ranks.size() * sizeof(int));
    name = named_by(across_->ask(across_->process_of(ranks.front()), std::move(one), rank, where));
  }
  const base::locked held(groups_lock_);
  if (joined_.size() >= look_again_at_) {  // now and then: some are gone
    std::erase_if(joined_, [](const auto& one) { return one.second.expired(); });
    look_again_at_ = 2 * joined_.size() + 16;
  }
  std::weak_ptr<rank_group>& known = joined_[name.number];
  std::shared_ptr<rank_group> found = known.lock();
  if (!found) known = found = make_group(name, std::move(ranks));
  return found;
}

// A package is what the ranks of one process bring to a call, for another process: for each a `packed_arrival`, the
// name of its type and the file where it was called, both with a zero behind them, and what it has packed.
namespace {

struct packed_arrival {
  std::size_t bytes;  ///< of what it has packed
  std::size_t name, file;
  int rank;  ///< in the group
  unsigned line;
  bool is_of_library;
};

/// What lies in memory at any place may not be a number: a package's parts begin at multiples of this.
void align_end(std::vector<std::byte>& of) { of.resize((of.size() + 15) / 16 * 16); }

}  // namespace

void world::send_packages(const rank_group& in, const rank_meeting& at) {
  for (const int process : in.other_processes) {
    std::vector<int> there;
    for (std::size_t i = 0; i < in.ranks.size(); ++i)
      if (across_->process_of(in.ranks[i]) == process) there.push_back(static_cast<int>(i));
    letter one{letter::what::package, in.number, in.ranks.front(), at.number, {}};
    for (const int place : in.places_here) {
      const rank_arrival& its = *at.arrivals[static_cast<std::size_t>(place)];
      auto* const brings = dynamic_cast<portable_call*>(its.brings);
      if (!brings)
        throw error(fmt::format("together at {}:{}: its ranks are in several processes; expected a portable_call",
                                its.where.file_name(), its.where.line()));
      const char* const name = typeid(*its.brings).name();
      const char* const file = its.where.file_name();
      packed_arrival head{0, std::strlen(name) + 1, std::strlen(file) + 1, place, its.where.line(), its.is_of_library};
      const std::size_t head_at = one.text.size();
      append(one.text, &head, sizeof head);
      append(one.text, name, head.name);
      append(one.text, file, head.file);
      align_end(one.text);
      const std::size_t packed_at = one.text.size();
      brings->pack(there, one.text);
      head.bytes = one.text.size() - packed_at;
      std::memcpy(one.text.data() + head_at, &head, sizeof head);
      align_end(one.text);
    }
    across_->send_letter(process, std::move(one));
  }
}

std::uint64_t world::brief_kind(rank_group& in, const rank_meeting& at) {
  std::uint64_t kind = 0;
  for (const int place : in.places_here) {
    const auto i = static_cast<std::size_t>(place);
    const brief_call* const its = in.as_brief(i, *at.calls[i]);
    const std::uint64_t one = its ? its->kind() : 0;
    if (one == 0 || (kind != 0 && one != kind)) return 0;
    const std::size_t givers = its->giver() == brief_call::each ? in.most_in_a_process : 1;
    if (its->gives().size() * givers > brief_call::most_bytes) return 0;
    kind = one;
  }
  return kind;
}

world::gathered world::find_gathering(const gathering_key& key) {
  const auto found = gatherings_.lower_bound(key);
  if (found != gatherings_.end() && found->first == key) return found;
  if (unused_gatherings_.empty()) return gatherings_.try_emplace(found, key);
  auto node = std::move(unused_gatherings_.back());
  unused_gatherings_.pop_back();
  node.key() = key;
  return gatherings_.insert(found, std::move(node));
}

void world::forget_gathering(gathered its) {
  constexpr std::size_t most_kept = 8;
  auto node = gatherings_.extract(its);
  if (unused_gatherings_.size() >= most_kept) return;
  gathering& gone = node.mapped();
  gone.briefs.clear();
  gone.packages.clear();
  gone.here.reset();
  gone.at = nullptr;
  gone.kind = 0;
  gone.is_package_begun = gone.is_package_sent = false;
  unused_gatherings_.push_back(std::move(node));
}

namespace {

/// Has something come that a brief of this process is no answer to?
bool needs_package(const gathering& its) {
  if (its.kind == 0 || its.is_package_begun) return false;
  return !its.packages.empty() ||
         std::any_of(its.briefs.begin(), its.briefs.end(), [&](const rank_brief& one) { return one.kind != its.kind; });
}

}  // namespace

bool world::take_if_complete(gathered its) {
  gathering& here = its->second;
  if (needs_package(here)) return false;
  const bool is_brief = here.kind != 0 && !here.is_package_begun;
  if ((is_brief ? here.briefs.size() : here.packages.size()) < here.expected) return false;
  if (!is_brief && !here.is_package_sent) return false;
  here.at->is_brief = is_brief;
  here.at->briefs.swap(here.briefs);
  here.at->packages.swap(here.packages);
  here.at->is_open.store(false, std::memory_order_relaxed);
  forget_gathering(its);
  return true;
}

bool world::gather(rank_group& in, rank_meeting& at) {
  const std::uint64_t kind = brief_kind(in, at), number = at.number;
  if (kind == 0) {
    send_packages(in, at);
  } else {
    std::byte bytes[brief_call::most_bytes];
    std::size_t size = 0;
    for (const int place : in.places_here) {
      const std::span<const std::byte> its =
          static_cast<brief_call&>(*at.calls[static_cast<std::size_t>(place)]).gives();
      if (!its.empty()) std::memcpy(bytes + size, its.data(), its.size());
      size += its.size();
    }
    for (const int process : in.other_processes)
      across_->send_brief(process, in.number, in.ranks.front(), number, kind, {bytes, size});
  }
  {
    const base::locked held(gatherings_lock_);
    const gathered its = find_gathering({in.number, in.ranks.front(), number});
    gathering& here = its->second;
    here.at = &at;
    here.expected = in.other_processes.size();
    here.here = in.here;
    here.kind = kind;
    here.is_package_begun = here.is_package_sent = kind == 0;
    if (take_if_complete(its)) return true;
    at.is_open.store(true, std::memory_order_relaxed);
    if (!needs_package(here)) return false;
    here.is_package_begun = true;
  }
  return gather_packages(in, at, number);
}

bool world::gather_packages(const rank_group& in, rank_meeting& at, std::uint64_t number) {
  std::exception_ptr thrown;
  try {
    send_packages(in, at);
  } catch (...) {
    thrown = std::current_exception();
  }
  const base::locked held(gatherings_lock_);
  const gathered its = find_gathering({in.number, in.ranks.front(), number});
  if (thrown) {
    forget_gathering(its);
    std::rethrow_exception(thrown);
  }
  its->second.is_package_sent = true;
  return take_if_complete(its);
}

void world::lay_out(const rank_group& in, rank_meeting& at) {
  const auto gives = [&](std::size_t i) { return static_cast<brief_call&>(*at.calls[i]).gives(); };
  const auto first = static_cast<std::size_t>(in.places_here.front());
  if (const int giver = static_cast<brief_call&>(*at.calls[first]).giver(); giver != brief_call::each) {
    const auto i = static_cast<std::size_t>(giver);
    const int process = across_->process_of(in.ranks[i]);
    std::span<const std::byte> all;
    if (process == across_->mine()) all = gives(i);
    for (const rank_brief& one : at.briefs)
      if (one.process == process) all = {one.data, one.bytes};
    at.given.assign(all.begin(), all.end());
    return;
  }
  const std::size_t each = gives(first).size();
  at.given.resize(each * in.ranks.size());
  if (each == 0) return;
  const std::byte* next[gateway::most_processes] = {};
  for (const rank_brief& one : at.briefs) next[one.process] = one.data;
  for (std::size_t i = 0; i < in.ranks.size(); ++i) {
    const int process = across_->process_of(in.ranks[i]);
    const bool is_own = process == across_->mine();
    std::memcpy(at.given.data() + i * each, is_own ? gives(i).data() : next[process], each);
    if (!is_own) next[process] += each;
  }
}

bool world::cut_off(const rank_group& in, const rank_arrival& mine) {
  {
    const base::locked held(gatherings_lock_);
    // Before its call is over, the meeting is no other call's.
    if (mine.at->is_cut_off.load(std::memory_order_relaxed)) return mine.is() == rank_arrival::state::come;
    const auto found = gatherings_.find({in.number, in.ranks.front(), mine.number});
    if (found == gatherings_.end() || !found->second.at) return false;
    // A rank that sends the package reads what the others bring; they look again and again until it has.
    if (found->second.is_package_begun && !found->second.is_package_sent) return false;
    forget_gathering(found);
    mine.at->is_open.store(false, std::memory_order_relaxed);
    mine.at->is_cut_off.store(true, std::memory_order_relaxed);
  }
  wake_all(*in.here);
  return true;
}

void world::read_letter(int from, letter one) {
  if (one.is == letter::what::join) {
    join_question asks;
    std::memcpy(&asks, one.text.data(), sizeof asks);
    std::vector<int> ranks((one.text.size() - sizeof asks) / sizeof(int));
    std::memcpy(ranks.data(), one.text.data() + sizeof asks, ranks.size() * sizeof(int));
    return across_->answer(from, one.id, as_answer(join_name(one.group, std::move(ranks), asks.tag, asks.as)));
  }
  if (one.is == letter::what::call) return read_call(from, std::move(one));
  if (one.is == letter::what::result) return read_result(std::move(one));
  if (one.is == letter::what::waits_asked)
    return across_->send_letter(from, {letter::what::waits, 0, 0, 0, packed_waits()});
  if (one.is == letter::what::waits) {
    bool have_all = false;
    {
      const base::locked held(waits_lock_);
      waits_.push_back(std::move(one.text));
      have_all = static_cast<int>(waits_.size()) == across_->processes() - 1;
    }
    if (have_all) tell_stuck();
    return;
  }
  std::shared_ptr<const std::vector<int>> here;
  {
    const base::locked held(gatherings_lock_);
    const gathered its = find_gathering({one.group, one.first, one.id});
    its->second.packages.push_back(std::move(one.text));
    here = notice(its);
  }
  if (here) wake_all(*here);
}

void world::read_brief(int from, const comm::packet& one, std::span<const std::byte> bytes) {
  std::shared_ptr<const std::vector<int>> here;
  {
    const base::locked held(gatherings_lock_);
    const gathered its = find_gathering({one.group, one.source, one.id});
    rank_brief& its_brief = its->second.briefs.emplace_back();
    its_brief.process = from;
    its_brief.kind = one.kind();
    its_brief.bytes = bytes.size();
    if (!bytes.empty()) std::memcpy(its_brief.data, bytes.data(), bytes.size());
    here = notice(its);
  }
  if (here) wake_all(*here);
}

std::shared_ptr<const std::vector<int>> world::notice(gathered its) {
  rank_meeting* const at = its->second.at;
  if (!at) return nullptr;
  std::shared_ptr<const std::vector<int>> here = its->second.here;
  const std::uint64_t number = std::get<2>(its->first);
  if (needs_package(its->second)) {
    its->second.is_package_begun = true;
    at->needs_package.store(number, std::memory_order_release);  // pair with `rank_call::meet_across`
  } else if (take_if_complete(its)) {
    at->ready.store(number, std::memory_order_release);
  } else {
    return nullptr;
  }
  return here;
}

void read_packages(rank_meeting& at, joint_call& by) {
  for (const std::vector<std::byte>& package : at.packages)
    for (std::size_t next = 0; next < package.size();) {
      packed_arrival head;
      std::memcpy(&head, package.data() + next, sizeof head);
      const auto* const name = reinterpret_cast<const char*>(package.data() + next + sizeof head);
      const char* const file = name + head.name;
      next = (next + sizeof head + head.name + head.file + 15) / 16 * 16;
      // What is of another type cannot be read, and is told by its name.
      const bool is_known = std::strcmp(name, typeid(by).name()) == 0;
      std::unique_ptr<joint_call> stand_in;
      if (is_known) stand_in = dynamic_cast<portable_call&>(by).unpack(head.rank, {package.data() + next, head.bytes});
      next = (next + head.bytes + 15) / 16 * 16;
      rank_arrival& its = at.others.emplace_back(stand_in ? *stand_in : by, location::current(file, head.line));
      its.is_of_library = head.is_of_library;
      its.is_called = name;
      at.arrivals[static_cast<std::size_t>(head.rank)] = &its;
      at.calls[static_cast<std::size_t>(head.rank)] = its.brings;
      if (stand_in) at.stand_ins.push_back(std::move(stand_in));
    }
}

}  // namespace maslin
