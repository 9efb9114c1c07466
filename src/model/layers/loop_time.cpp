#include "model/layers/loop_time.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <queue>
#include <utility>
#include <vector>

namespace maslin::layers {

namespace {

/// A worker comes to the loop.
struct arrival {
  double when;
  int worker;
};
struct later {
  bool operator()(const arrival& one, const arrival& other) const { return one.when > other.when; }
};

/// Who comes next: those that were woken, and those that come by themselves.
class arrivals {
 public:
  arrivals(const coming_workers& alone, int width) : alone_(alone), width_(width), next_alone_(alone.first) {
    look_at_next();
  }
  void add(const arrival& a) { woken_.push(a); }
  bool empty() const { return woken_.empty() && next_alone_ >= width_; }
  /// Of those that come at one time, who was woken comes first.
  arrival take() {
    if (next_alone_ < width_ && (woken_.empty() || woken_.top().when > alone_comes_)) {
      const arrival a{alone_comes_, next_alone_++};
      look_at_next();
      return a;
    }
    const arrival a = woken_.top();
    woken_.pop();
    return a;
  }

 private:
  void look_at_next() {
    if (next_alone_ < width_) alone_comes_ = alone_.when(next_alone_);
  }

  const coming_workers& alone_;
  const int width_;
  int next_alone_;
  double alone_comes_ = 0;
  std::priority_queue<arrival, std::vector<arrival>, later> woken_;
};

/// Workers that have done their first shares, and take one block after the other of what is left.
class takers {
 public:
  explicit takers(double block) : block_(block) {}
  void add(double free) { next_.push({free, free, 0}); }
  /// Gives how many blocks they have begun before that time, which never falls; `most` if that is fewer.
  std::int64_t taken_before(double now, std::int64_t most) {
    while (taken_ < most && !next_.empty() && next_.top().begins < now) {
      turn t = next_.top();
      next_.pop();
      ++taken_;
      t.begins = t.free + static_cast<double>(++t.done) * block_;
      next_.push(t);
    }
    return std::min(taken_, most);
  }

 private:
  struct turn {
    double begins, free;
    std::int64_t done;
    bool operator<(const turn& other) const { return begins > other.begins; }
  };
  const double block_;
  std::int64_t taken_ = 0;
  std::priority_queue<turn> next_;
};

/// Adds blocks that are left to the ends of who is done first: to where an even flow would end, in whole blocks.
void give_away(std::int64_t left, double block, std::vector<double>& ends) {
  std::vector<std::size_t> order(ends.size());
  while (left > 0) {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ends[a] < ends[b]; });
    double sum = static_cast<double>(left) * block;
    for (const double e : ends) sum += e;
    std::size_t come = order.size();
    double even = sum / static_cast<double>(come);
    while (come > 1 && ends[order[come - 1]] >= even) {
      sum -= ends[order[--come]];
      even = sum / static_cast<double>(come);
    }
    std::int64_t given = 0;
    for (std::size_t i = 0; i < come; ++i) {
      const auto whole = static_cast<std::int64_t>(std::floor((even - ends[order[i]]) / block * (1 + 1e-12)));
      ends[order[i]] += static_cast<double>(whole) * block;
      given += whole;
    }
    left -= given;
    if (given > 0) continue;
    // Fewer are left than workers come. Who has one more is over the even end, so each gets one at most.
    for (std::size_t i = 0; left > 0; i = (i + 1) % come, --left) ends[order[i]] += block;
  }
}

}  // namespace

double loop_time(const shared_loop& l, int width, const sharing_costs& c, const coming_workers& comes) {
  if (width <= 1 || l.blocks <= 1 || l.seconds <= 0) return l.seconds;
  const double block = l.seconds / static_cast<double>(l.blocks);
  const auto share = [&](std::int64_t of) { return (of + width - 1) / width; };
  const auto most = static_cast<std::size_t>(std::min<std::int64_t>(width, l.blocks));  // who take part

  arrivals on_the_way(comes, width);
  on_the_way.add({0, 0});
  takers others(block);
  std::vector<double> free;  // when each of those who come has done its first share
  std::vector<int> who;
  std::int64_t left = l.blocks;
  std::int64_t others_find = l.blocks;  // in the caller's queue
  int asleep = 1;                       // the next that waits to be woken
  // Each worker of the team is on the way once at most, so there are `width` rounds at most.
  while (!on_the_way.empty() && free.size() < most) {
    const arrival here = on_the_way.take();
    double now = here.when;
    std::int64_t first = share(l.blocks);
    if (here.worker == 0) {
      others_find -= first;
    } else {
      // Is there something left, or have those before it taken it?
      const std::int64_t taken = others.taken_before(now, left);
      if (taken == left) break;
      now += c.steal;
      others_find = std::min(others_find, left - taken);
      const std::int64_t half = (others_find + 1) / 2;
      others_find -= half;
      first = std::max<std::int64_t>(1, share(half));
    }
    first = std::min(first, left);
    left -= first;
    if (free.size() + 1 < most && left > 0 && asleep < std::min(width, comes.first)) {
      now += c.signal + ((here.worker < c.near) != (asleep < c.near) ? c.crossing : 0);
      on_the_way.add({now + (c.idle + now > c.spin ? c.wake : 0), asleep});
      ++asleep;
    }
    free.push_back(now + static_cast<double>(first) * block);
    others.add(free.back());
    who.push_back(here.worker);
  }

  std::vector<double> ends = std::move(free);
  give_away(left, block, ends);
  const auto last = std::max_element(ends.begin(), ends.end());
  if (last == ends.begin() || *last <= ends.front() * (1 + 1e-12)) return *last;
  const double awakes = *last - ends.front() > c.spin ? c.wake : 0;
  return *last + c.signal + awakes + (who[static_cast<std::size_t>(last - ends.begin())] >= c.near ? c.crossing : 0);
}

given_out host_gives_out(const shared_loop& l, int width, const sharing_costs& c, const coming_workers& comes) {
  const int told = std::min(width, comes.first);
  const auto has_told = [&](int count) { return count * c.signal + std::max(0, count - c.near) * c.crossing; };
  const auto comes_at = [&](int worker) {
    if (worker >= told) return comes.when(worker);
    const double when = has_told(worker + 1);
    return when + (c.idle + when > c.spin ? c.wake : 0);
  };
  std::vector<double> ends;  // of those that find something
  for (int i = 0; i < width && i < l.blocks; ++i) ends.push_back(comes_at(i));
  give_away(l.blocks, l.seconds / static_cast<double>(l.blocks), ends);
  const auto last = std::max_element(ends.begin(), ends.end());
  const double last_comes = comes_at(width - 1);
  const int who = last_comes > *last ? width - 1 : static_cast<int>(last - ends.begin());
  const double end = std::max(*last, last_comes), all_told = has_told(told);
  const double awakes = end - all_told > c.spin ? c.wake : 0;
  return {all_told, std::max(end, all_told) + c.signal + awakes + (who >= c.near ? c.crossing : 0)};
}

}  // namespace maslin::layers
