// Calls of all ranks as messages: the ways that libraries of messages take for them.
//
//   meet, reduce_to_all    in turn k each rank exchanges with those 2^k before and behind it
//   reduce_to_all, long    a ring passes each part round, twice
//   broadcast, reduce      a binomial tree
//   gather, scatter        the root exchanges with each
//   gather_to_all          in turn k each rank gives the one 2^k behind it what it has; long: a ring
//   all_to_all             in turn k each rank gives the one 2^k behind it half of all; long: each gives to each
//   neighbours             a message along each edge, at once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "model/links/deeds.hpp"

namespace maslin::links {

namespace {

// A call to all is long if a rank gets more bytes than that.
constexpr std::int64_t short_bytes = 65536;

std::int64_t most_of(const call_of_ranks& call) {
  return call.bytes.empty() ? 0 : *std::max_element(call.bytes.begin(), call.bytes.end());
}

class carrying_out {
 public:
  carrying_out(const call_of_ranks& call, recording& program)
      : call_(call),
        program_(program),
        n_(static_cast<std::uint32_t>(call.ranks.size())),
        most_(most_of(call)),
        deeds_(n_) {}

  std::vector<std::vector<deed>> all() {
    using enum call_of_ranks::pattern;
    switch (call_.is) {
      case meet:
        spread(0);
        break;
      case reduce_to_all:
        if (!is_long(call_))
          spread(most_);
        else
          for (int round = 0; round < 2; ++round) ring([&](std::uint32_t) { return (most_ + n_ - 1) / n_; });
        break;
      case broadcast:
        tree(false);
        break;
      case reduce:
        tree(true);
        break;
      case scatter:
        with_root(false);
        break;
      case gather:
        with_root(true);
        break;
      case gather_to_all:
        if (!is_long(call_))
          for (std::uint32_t k = 1; k < n_; k *= 2)
            shift(k, [&](std::uint32_t) { return most_ * std::min(k, n_ - k); });
        else
          ring([&](std::uint32_t place) { return call_.bytes[place]; });
        break;
      case all_to_all:
        if (!is_long(call_))
          for (std::uint32_t k = 1; k < n_; k *= 2)
            shift(k, [&](std::uint32_t place) { return call_.bytes[place] / 2; });
        else
          for (std::uint32_t k = 1; k < n_; ++k) shift(k, [&](std::uint32_t place) { return call_.bytes[place] / n_; });
        break;
      case neighbours:
        along_edges();
        break;
    }
    return std::move(deeds_);
  }

 private:
  std::uint32_t message(std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
    program_.messages.push_back({call_.ranks[from], call_.ranks[to], bytes});
    return static_cast<std::uint32_t>(program_.messages.size() - 1);
  }
  void say(std::uint32_t place, deed::kind what, std::uint32_t of) { deeds_[place].push_back({what, of, 0}); }
  void pass(std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
    const std::uint32_t m = message(from, to, bytes);
    say(from, deed::kind::start_send, m);
    say(from, deed::kind::wait_sent, m);
    say(to, deed::kind::start_receive, m);
    say(to, deed::kind::wait_received, m);
  }

  /// Each rank gives to the k-th behind it, and gets from the k-th before it, at once.
  template <class Bytes>
  void shift(std::uint32_t k, Bytes&& bytes) {
    const auto first = static_cast<std::uint32_t>(program_.messages.size());
    for (std::uint32_t i = 0; i < n_; ++i) message(i, (i + k) % n_, bytes(i));
    for (std::uint32_t i = 0; i < n_; ++i) {
      const std::uint32_t gives = first + i, gets = first + (i + n_ - k % n_) % n_;
      say(i, deed::kind::start_receive, gets);
      say(i, deed::kind::start_send, gives);
      say(i, deed::kind::wait_received, gets);
      say(i, deed::kind::wait_sent, gives);
    }
  }
  void spread(std::int64_t bytes) {
    for (std::uint32_t k = 1; k < n_; k *= 2) shift(k, [&](std::uint32_t) { return bytes; });
  }
  /// In turn t each passes on what began t ranks before it.
  template <class Bytes>
  void ring(Bytes&& bytes) {
    for (std::uint32_t turn = 0; turn + 1 < n_; ++turn)
      shift(1, [&](std::uint32_t place) { return bytes((place + n_ - turn) % n_); });
  }
  /// From the root, or to it.
  void tree(bool to_root) {
    const auto place = [&](std::uint32_t v) { return (v + call_.root) % n_; };
    const auto edge = [&](std::uint32_t parent, std::uint32_t child) {
      if (to_root)
        pass(place(child), place(parent), most_);
      else
        pass(place(parent), place(child), most_);
    };
    std::uint32_t top = 1;
    while (top < n_) top *= 2;
    // Turns of the tree, in the order in which its ranks do them: the far half first, or last.
    for (std::uint32_t step = to_root ? 1 : top / 2; step > 0 && step < n_; step = to_root ? step * 2 : step / 2)
      for (std::uint32_t v = 0; v + step < n_; v += 2 * step) edge(v, v + step);
  }
  void with_root(bool to_root) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (i == call_.root) continue;
      const std::uint32_t m = to_root ? message(i, call_.root, call_.bytes[i]) : message(call_.root, i, call_.bytes[i]);
      all.push_back(m);
      say(i, to_root ? deed::kind::start_send : deed::kind::start_receive, m);
      say(i, to_root ? deed::kind::wait_sent : deed::kind::wait_received, m);
    }
    for (const std::uint32_t m : all) say(call_.root, to_root ? deed::kind::start_receive : deed::kind::start_send, m);
    for (const std::uint32_t m : all) say(call_.root, to_root ? deed::kind::wait_received : deed::kind::wait_sent, m);
  }

  void along_edges() {
    const auto first = static_cast<std::uint32_t>(program_.messages.size());
    for (const call_of_ranks::edge& e : call_.edges)
      say(e.to, deed::kind::start_receive, message(e.from, e.to, e.bytes));
    const auto each = [&](deed::kind what, std::uint32_t call_of_ranks::edge::*whose) {
      for (std::uint32_t i = 0; i < call_.edges.size(); ++i) say(call_.edges[i].*whose, what, first + i);
    };
    each(deed::kind::start_send, &call_of_ranks::edge::from);
    each(deed::kind::wait_received, &call_of_ranks::edge::to);
    each(deed::kind::wait_sent, &call_of_ranks::edge::from);
  }

  const call_of_ranks& call_;
  recording& program_;
  const std::uint32_t n_;
  const std::int64_t most_;
  std::vector<std::vector<deed>> deeds_;
};

}  // namespace

void call_of_ranks::add(std::size_t place, const trace::moved_as& moved) {
  bytes[place] = static_cast<std::int64_t>(moved.bytes);
  if (moved.is == trace::moved_as::pattern::nothing) return;
  is = static_cast<pattern>(moved.is);
  root = std::min(moved.root, static_cast<std::uint32_t>(ranks.size() - 1));
}

bool is_long(const call_of_ranks& call) {
  using enum call_of_ranks::pattern;
  const auto ranks = static_cast<std::int64_t>(call.ranks.size());
  switch (call.is) {
    case reduce_to_all:
    case all_to_all:
      return most_of(call) > short_bytes;
    case gather_to_all:
      return most_of(call) * ranks > short_bytes;
    default:
      return false;
  }
}

std::vector<std::vector<deed>> carried_out(const call_of_ranks& call, recording& program) {
  return carrying_out(call, program).all();
}

}  // namespace maslin::links
