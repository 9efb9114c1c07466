// Ranks that compute for declared times and exchange messages of all kinds; what a replay of them takes on links can be
// worked out by hand. Prints what they took, in seconds.
//
//     ranks_ask exchange|overlap|dropped|forgotten|tasks|loops|unequal|phases|twice|later [RANKS]
//     ranks_ask empty|small|large|window|barriers|sums|ring|calls [RANKS]

#include <maslin/maslin.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace ms = maslin;
using namespace std::chrono_literals;

namespace {

/// A long message from rank 0 to rank 3, which comes 300 us later; then all meet.
void exchange(ms::communicator& world) {
  std::vector<std::byte> data(1'000'000);
  ms::cost(100us * (world.rank() + 1));
  if (world.rank() == 0) world.send(data, 3, 7);
  if (world.rank() == 3) world.receive(data, ms::any_source, ms::any_tag);
  world.all_reduce(1.0, std::plus{});
}

/// Messages of two tags that are received in the other order, beside what ranks 0 and 1 compute.
void overlap(ms::communicator& world) {
  std::vector<double> first(1000, 1), second(2000, 2);
  if (world.rank() == 0) {
    std::array sent{world.start_send(first, 2, 1), world.start_synchronous_send(second, 2, 2)};
    ms::cost(50us);
    for (ms::request& one : sent) one.wait();
  } else if (world.rank() == 2) {
    ms::request late = world.start_receive(second, 0, 2);
    ms::request never = world.start_receive(first, 1, 5);
    never.cancel();
    ms::cost(20us);
    world.receive(first, 0, 1);
    late.wait();
  }
}

/// Messages to and fro between the first rank and the last one.
void to_and_fro(ms::communicator& world, std::size_t bytes, int trips) {
  std::vector<std::byte> data(bytes);
  const int last = world.size() - 1;
  for (int i = 0; i < trips; ++i) {
    if (world.rank() == 0) world.send(data, last);
    if (world.rank() == last || world.rank() == 0) world.receive(data, world.rank() == 0 ? last : 0);
    if (world.rank() == last) world.send(data, 0);
  }
}

/// Computes for another time than other ranks do, so that no two messages come to a hop at the very same moment.
void compute(const ms::communicator& world, int turn) {
  ms::cost(1us * ((3 * world.rank() + turn) % 7) + 37ns * (world.rank() + 1));
}

/// Many at a time, from each rank of the first half to one of the other, which then answers.
void window(ms::communicator& world) {
  const int half = world.size() / 2, other = (world.rank() + half) % world.size();
  std::vector<double> data(150), answer(1);
  std::vector<ms::request> all;
  compute(world, 0);
  for (int i = 0; i < 60; ++i)
    all.push_back(world.rank() < half ? world.start_send(data, other) : world.start_receive(data, other));
  for (ms::request& one : all) one.wait();
  if (world.rank() < half) world.receive(answer, other);
  if (world.rank() >= half) world.send(answer, other);
}

void sums(ms::communicator& world) {
  std::vector<double> longer(20'000, 1), all(longer.size());
  for (int i = 0; i < 5; ++i) {
    compute(world, i);
    world.all_reduce(1.0, std::plus{});
    world.all_reduce(longer, all, std::plus{});
  }
}

/// Each gives its neighbour something, while it computes.
void ring(ms::communicator& world) {
  const int behind = (world.rank() + 1) % world.size(), before = (world.rank() + world.size() - 1) % world.size();
  std::vector<double> mine(100), its(mine.size());
  for (int i = 0; i < 20; ++i) {
    ms::request gets = world.start_receive(its, before), gives = world.start_send(mine, behind);
    compute(world, i);
    gets.wait();
    gives.wait();
  }
}

/// Calls of all that no rank could leave before all have come.
void calls(ms::communicator& world) {
  std::vector<double> mine(10, world.rank()), all(10 * static_cast<std::size_t>(world.size())), other(all.size());
  compute(world, 0);
  world.all_gather(mine, all);
  compute(world, 1);
  world.all_to_all(all, other);
}

/// Those whose replays are as long as they themselves are on the same machine.
bool runs_as_replayed(const std::string& what, ms::communicator& world) {
  if (what == "empty") to_and_fro(world, 0, 100);
  if (what == "small") to_and_fro(world, 8, 100);
  if (what == "large") to_and_fro(world, 1'000'000, 3);
  if (what == "window") window(world);
  if (what == "sums") sums(world);
  if (what == "ring") ring(world);
  if (what == "calls") calls(world);
  for (int i = 0; i < 10 && what == "barriers"; ++i) {
    compute(world, i);
    world.barrier();
  }
  for (const char* one : {"empty", "small", "large", "window", "sums", "ring", "calls", "barriers"})
    if (what == one) return true;
  return false;
}

/// Rank 2 receives a message, and nobody waits for the request of that; the next one of the same tag is another.
void forgotten(ms::communicator& world) {
  std::vector<double> first(1000, 1), second(2000, 2);
  if (world.rank() == 0) {
    world.send(first, 2, 1);
    ms::cost(50us);
    world.send(second, 2, 1);
  } else if (world.rank() == 2) {
    {
      const ms::request one = world.start_receive(first, 0, 1);
      ms::cost(30us);
    }
    world.receive(second, 0, 1);
  }
}

/// Rank 0 drops the request of a message, and sends another of the same tag later.
void dropped(ms::communicator& world) {
  std::vector<double> first(1000, 1), second(2000, 2);
  if (world.rank() == 0) {
    { const ms::request gone = world.start_synchronous_send(first, 2, 1); }
    ms::cost(50us);
    world.send(second, 2, 1);
  } else if (world.rank() == 2) {
    ms::cost(10us);
    world.receive(second, 0, 1);
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string what = words[1];
  const int ranks = count > 2 ? std::stoi(words[2]) : 4;
  const auto begin = ms::time();
  if (what == "later") ms::parallel_for(0, 100, [](ms::range) { ms::cost(1us); });
  ms::ranks(ranks, [&](ms::communicator& world) {
    if (runs_as_replayed(what, world)) return;
    if (what == "overlap") return overlap(world);
    if (what == "dropped") return dropped(world);
    if (what == "forgotten") return forgotten(world);
    if (what == "tasks") {
      ms::task([] { ms::cost(1ms); });
      ms::wait();
    }
    if (what == "loops") ms::parallel_for(0, 100, [](ms::range some) { ms::cost(10us * (some.last - some.first)); });
    if (what == "unequal")
      for (const auto each : {5us, 15us})
        ms::parallel_for(0, 100, [=](ms::range some) { ms::cost(each * (some.last - some.first)); });
    if (what == "phases") ms::phase("phase", 2, [](int) { ms::cost(1us); });
    exchange(world);
  });
  if (what == "twice") ms::ranks(ranks, exchange);
  std::printf("%.12g\n", (ms::time() - begin).count());
}
