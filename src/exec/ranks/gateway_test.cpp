// Ranks of several processes exchange messages as those of one do.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "comm/processes.hpp"
#include "maslin/error.hpp"
#include "maslin/ranks.hpp"

namespace maslin {
namespace {

using bytes = std::vector<std::byte>;
using body = std::function<void(communicator&)>;

/// In a child, which ends at once.
void expect(bool right, int line) {
  if (right) return;
  std::fprintf(stderr, "%s:%d: is not so\n", __FILE__, line);
  _exit(1);
}
#define MUST(condition) expect(condition, __LINE__)

struct job {
  int processes, ranks;
  bool in_pieces = false;
  const char* eager = "";                   ///< MASLIN_EAGER
  int nodes = 1;                            ///< among which the processes are divided
  std::chrono::milliseconds opens_after{};  ///< the network has no room before
};

/// A socket between each two nodes stands for their network.
class sockets final : public node_network {
 public:
  /// `ends`: this node's, by the other's number. `are_gone`: so say the parent of all processes.
  sockets(std::vector<int> ends, const std::atomic<bool>& are_gone)
      : ends_(std::move(ends)), lanes_(ends_.size()), came_(most_bytes), are_gone_(are_gone) {}

  /// For so long since it is asked for some it has no room, and is not asked again and again.
  void open_after(std::chrono::milliseconds time) { closed_for_ = time; }

  std::byte* room(int node) override {
    if (is_closed()) return nullptr;
    lane& to = lanes_[static_cast<std::size_t>(node)];
    push(node);
    return to.waiting > 0 ? nullptr : to.parcel.data();
  }
  void send(int node, std::size_t size) override {
    lanes_[static_cast<std::size_t>(node)].waiting = size;
    push(node);
  }
  std::span<const std::byte> first() override {
    push_all();  // as MPI does: nobody else asks again for the last parcel where its socket was full
    for (std::size_t i = 0; i < ends_.size() && bytes_ == 0; ++i) {
      next_ = (next_ + 1) % ends_.size();
      if (ends_[next_] < 0) continue;
      const ssize_t some = recv(ends_[next_], came_.data(), came_.size(), MSG_DONTWAIT);
      if (some > 0) bytes_ = static_cast<std::size_t>(some);
    }
    return std::span(came_).first(bytes_);
  }
  void pop() override { bytes_ = 0; }
  bool has_sent_all() override {
    push_all();
    return std::all_of(lanes_.begin(), lanes_.end(), [](const lane& one) { return one.waiting == 0; });
  }

  bool is_ended_here() override { return false; }
  void end_here() override {}
  std::optional<int> status_here() override { return are_gone_.load() ? std::optional(0) : std::nullopt; }

 private:
  struct lane {
    bytes parcel = bytes(most_bytes);
    std::size_t waiting = 0;
  };
  void push_all() {
    for (int node = 0; node < static_cast<int>(ends_.size()); ++node) push(node);
  }
  bool is_closed() {
    if (closed_for_ == closed_for_.zero()) return false;
    const auto now = std::chrono::steady_clock::now();
    if (asked_++ == 0) opens_at_ = now + closed_for_;
    if (now < opens_at_) return true;
    closed_for_ = {};
    MUST(asked_ < 5000);  // in more than 0.1 s; who spins asks ten times as often
    return false;
  }
  void push(int node) {
    lane& to = lanes_[static_cast<std::size_t>(node)];
    if (to.waiting == 0) return;
    const ssize_t some = ::send(ends_[static_cast<std::size_t>(node)], to.parcel.data(), to.waiting, MSG_DONTWAIT);
    if (some >= 0) to.waiting = 0;
  }

  const std::vector<int> ends_;
  std::vector<lane> lanes_;
  bytes came_;
  std::size_t bytes_ = 0, next_ = 0;
  const std::atomic<bool>& are_gone_;
  std::chrono::milliseconds closed_for_{};
  std::chrono::steady_clock::time_point opens_at_;
  int asked_ = 0;
};

/// Gives each node's ends of the sockets to all others.
std::vector<std::vector<int>> connected(int nodes) {
  const auto n = static_cast<std::size_t>(nodes);
  std::vector<std::vector<int>> ends(n, std::vector<int>(n, -1));
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      int both[2];
      if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, both) != 0) std::abort();
      ends[a][b] = both[0];
      ends[b][a] = both[1];
    }
  return ends;
}

/// Has the host of that process offer functions, or that of the job, which the first process has.
using offers = std::function<void(host& its, int process)>;
constexpr int of_job = -1;

/// Runs the body as all ranks; gives how many processes went wrong. There are hosts if these offer something.
int failures_of(const job& of, const body& run, const offers& offer = {}) {
  std::vector<int> files;  // of each node
  for (int node = 0; node < of.nodes; ++node) files.push_back(memfd_create("test", MFD_CLOEXEC));
  const std::vector<std::vector<int>> ends = connected(of.nodes);
  void* const shared =
      mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& are_gone = *new (shared) std::atomic<bool>(false);
  const pid_t parent = getpid();
  const auto start = [&](const std::function<void()>& its) {
    const pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    alarm(120);
    try {
      its();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
      _exit(2);
    }
    _exit(0);
  };
  const int on_each = of.nodes > 1 ? of.processes / of.nodes : 0;
  const auto described = [&](int process) {
    process_of_job one{process, of.processes, files[0], of.in_pieces};
    one.on_each_node = on_each;
    one.shared_memory = files[static_cast<std::size_t>(one.node())];
    return one;
  };
  std::vector<pid_t> processes, forwarders;
  for (int process = 0; process < of.processes; ++process)
    processes.push_back(start([&] {
      setenv("MASLIN_WORKERS", process == 0 ? "2" : "1", 1);
      setenv("MASLIN_EAGER", of.eager, 1);
      const auto call = [](void* it, communicator& world) { (*static_cast<const body*>(it))(world); };
      std::optional<host> far, its;
      if (offer && process == 0) offer(far.emplace(), of_job);
      if (offer) offer(its.emplace(far ? &*far : nullptr), process);
      detail::run_ranks_of_process(described(process), of.ranks, call, const_cast<body*>(&run), location::current(),
                                   its ? &*its : nullptr, far ? &*far : nullptr);
    }));
  for (int node = 0; node < of.nodes && of.nodes > 1; ++node)
    forwarders.push_back(start([&] {
      sockets all(ends[static_cast<std::size_t>(node)], are_gone);
      all.open_after(of.opens_after);
      const auto statuses =
          detail::forward_between_nodes(all, described(node * on_each), of.ranks, location::current());
      MUST(statuses == std::vector<int>(static_cast<std::size_t>(of.nodes)));
    }));
  int failures = 0;
  const auto await = [&](pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    failures += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  };
  std::for_each(processes.begin(), processes.end(), await);
  are_gone.store(true);
  std::for_each(forwarders.begin(), forwarders.end(), await);
  munmap(shared, sizeof(std::atomic<bool>));
  for (const int file : files) close(file);
  for (const auto& of_node : ends)
    for (const int end : of_node)
      if (end >= 0) close(end);
  return failures;
}

const job in_nodes[] = {{2, 2, false, "", 2}, {4, 7, false, "", 2}, {3, 4, true, "", 3}, {4, 4, false, "0", 4}};
const job jobs[] = {{2, 2}, {2, 5},      {3, 7},      {3, 4, true}, {8, 8},     {2, 3, false, "0"}, {2, 3, true, "64K"},
                    {2, 9}, in_nodes[0], in_nodes[1], in_nodes[2],  in_nodes[3]};

/// Gives the first of so many rounds that a job goes through: the forwarders of nodes share the cores of processes, so
/// their rounds are slow.
int first_round(const job& of, int rounds) { return of.nodes > 1 ? rounds * 4 / 5 : 0; }

bytes data_of(std::size_t size, int seed) {
  bytes made(size);
  for (std::size_t i = 0; i < size; ++i)
    made[i] = static_cast<std::byte>(i * 7 + (i >> 8) + static_cast<unsigned>(seed));
  return made;
}

TEST(Gateway, CarriesMessagesOfAllLengthsInTheirOrder) {
  for (const job& one : jobs)
    EXPECT_EQ(
        failures_of(one,
                    [](communicator& world) {
                      const std::size_t sizes[] = {0, 1, 63, 64, 65, 4096, 4097, 0, 200'000, 5, 3'000'000, 16, 70'000};
                      const int me = world.rank(), n = world.size(), next = (me + 1) % n, before = (me + n - 1) % n;
                      int seed = 0;
                      for (const std::size_t size : sizes) {
                        const bytes out = data_of(size, ++seed + me);
                        bytes in(size + 3);
                        const message m = world.exchange(out, next, in, before);
                        MUST(m.source == before && m.extent == size);
                        in.resize(size);
                        MUST(in == data_of(size, seed + before));
                      }
                    }),
        0);
}

TEST(Gateway, MoreMessagesThanThereIsRoomForWait) {
  for (const job& one :
       {job{2, 2}, job{2, 2, true}, job{2, 6}, in_nodes[0], job{2, 2, true, "", 2}, job{2, 6, false, "", 2}})
    EXPECT_EQ(failures_of(one,
                          [](communicator& world) {
                            constexpr int many = 1000;
                            const int last = world.size() - 1;
                            const auto size_of = [](int i) { return static_cast<std::size_t>(i * 37 % 9000); };
                            if (world.rank() == 0) {
                              pid_t receiver = 0;
                              world.receive(std::as_writable_bytes(std::span(&receiver, 1)), last);
                              kill(receiver, SIGSTOP);  // so that everything on the way fills
                              std::vector<bytes> out;
                              for (int i = 0; i < many; ++i) out.push_back(data_of(size_of(i), i));
                              std::vector<request> sent;
                              for (auto& data : out) sent.push_back(world.start_send(data, last, 3));
                              usleep(20'000);
                              kill(receiver, SIGCONT);
                              for (auto& begun : sent) begun.wait();
                            } else if (world.rank() == last) {
                              const pid_t own = getpid();
                              world.send(std::as_bytes(std::span(&own, 1)), 0);
                              bytes in(9000);
                              world.receive(in, last == 1 ? 0 : any_source,
                                            any_tag);  // the first; then what is behind it
                              for (int i = 1; i < many; ++i) {
                                const message m = world.receive(in);
                                MUST(m.extent == size_of(i));
                                const bytes expected = data_of(m.extent, i);
                                MUST(std::equal(expected.begin(), expected.end(), in.begin()));
                              }
                            }
                          }),
              0);
}

TEST(Gateway, NoMoreThan64CopiesAreKeptOfMessagesThatHaveWaitedForRoom) {
  EXPECT_EQ(failures_of({2, 2},
                        [](communicator& world) {
                          constexpr int many = 500, last = 1, has_come = 2;
                          constexpr std::size_t size = 14 << 10;  // a ring has room for eight
                          const bytes out = data_of(size, 1);
                          bytes in(size), told(1);
                          if (world.rank() == 0) {
                            pid_t receiver = 0;
                            world.receive(std::as_writable_bytes(std::span(&receiver, 1)), 1);
                            kill(receiver, SIGSTOP);  // so that all are sent before one is kept
                            std::vector<request> sent;
                            for (int i = 0; i < many; ++i) sent.push_back(world.start_send(out, 1));
                            sent.push_back(world.start_send(told, 1, last));
                            kill(receiver, SIGCONT);
                            world.receive(told, 1, has_come);
                            const auto is_done = [](request& begun) { return begun.test(); };
                            const auto kept = std::count_if(sent.begin(), sent.end(), is_done);
                            MUST(kept >= 64 && kept <= 64 + 8);            // those in the ring are not counted yet
                            MUST(sent[100].cancel() && sent[0].cancel());  // one is not kept, one is
                            sent.erase(sent.begin() + 100);
                            sent.erase(sent.begin());
                            world.send(told, 1, has_come);
                            for (request& begun : sent) begun.wait();
                            return;
                          }
                          const pid_t own = getpid();
                          world.send(std::as_bytes(std::span(&own, 1)), 0);
                          world.probe(0, last);
                          world.send(told, 0, has_come);
                          world.receive(told, 0, has_come);
                          for (int i = 0; i < many - 2; ++i) {
                            world.receive(in, 0, 0);
                            MUST(in == out);
                          }
                          world.receive(told, 0, last);
                        }),
            0);
}

TEST(Gateway, AForwarderDoesNotSpinWhileItsNetworkHasNoRoom) {
  EXPECT_EQ(failures_of({2, 2, false, "", 2, std::chrono::milliseconds(300)},
                        [](communicator& world) {
                          const int other = 1 - world.rank();
                          const bytes out = data_of(100, other);
                          bytes in(100);
                          std::vector<request> sent;
                          for (int i = 0; i < 1000; ++i) sent.push_back(world.start_send(out, other));
                          for (int i = 0; i < 1000; ++i) {
                            world.receive(in, other);
                            MUST(in == data_of(100, world.rank()));
                          }
                          for (request& begun : sent) begun.wait();
                        }),
            0);
}

TEST(Gateway, AReceiverThatHasMuchIsToldNoMoreThanThatThereIsSome) {
  constexpr int most_rounds = 1000, go_on = 2, has_come = 3, first_tag = 10;
  const auto run = [](communicator& world) {
    const bytes out = data_of(200, 1);
    bytes in(200);
    bool goes_on = true, it_has = true;
    // First each round brings more than is kept. Then all has been received, and a message is kept again.
    for (const int in_a_round : {100, 0}) {
      int rounds = 0;
      if (world.rank() == 0) {
        std::vector<request> sent;
        do {
          for (int i = 0; i < in_a_round; ++i) sent.push_back(world.start_send(out, 1, 1));
          request last = world.start_send(out, 1, first_tag + rounds);
          world.receive(it_has, 1, has_come);
          goes_on = last.test() == (in_a_round > 0);  // it is done if it is kept: nobody has received it
          MUST(++rounds < most_rounds);               // forwarders know of it some rounds later
          world.send(goes_on, 1, go_on);
          sent.push_back(std::move(last));
        } while (goes_on);
        for (request& begun : sent) begun.wait();
      } else {
        do {
          world.probe(0, first_tag + rounds++);
          world.send(it_has, 0, has_come);
          world.receive(goes_on, 0, go_on);
        } while (goes_on);
        for (int round = 0; round < rounds; ++round) {
          for (int i = 0; i < in_a_round; ++i) world.receive(in, 0, 1);
          world.receive(in, 0, first_tag + round);
        }
        MUST(in == out);
      }
    }
  };
  for (const job& one : {job{2, 2}, in_nodes[0]}) EXPECT_EQ(failures_of(one, run), 0);
}

TEST(Gateway, MessagesAreKeptUpToTheEagerBytes) {
  struct {
    const char* eager;
    std::size_t most;  // 0: none is kept
  } const cases[] = {{"", 14 << 10}, {"0", 0}, {"1", 1}, {"100", 100}, {"10000", 10'000}, {"64K", 14 << 10}};
  for (const auto& [eager, most] : cases) {
    SCOPED_TRACE(eager);
    EXPECT_EQ(failures_of({2, 2, false, eager},
                          [most](communicator& world) {
                            const bytes go(1);
                            for (const std::size_t size : {std::size_t{0}, most, most + 1}) {
                              const bytes late = data_of(size, 2);
                              bytes in(size), gone(1);
                              if (world.rank() == 0) {
                                request sent = world.start_send(late, 1, 1);
                                MUST(sent.test() == (most > 0 && size <= most));  // before anybody may receive it
                                world.synchronous_send(go, 1, 2);
                                sent.wait();
                              } else {
                                world.receive(gone, 0, 2);
                                world.receive(in, 0, 1);
                                MUST(in == late);
                              }
                            }
                          }),
              0);
  }
}

TEST(Gateway, AReceiveChoosesAndAProbeLooks) {
  for (const job& of : {job{3, 3}, job{3, 3, false, "", 3}})
    EXPECT_EQ(
        failures_of(of,
                    [](communicator& world) {
                      bytes one(10);
                      if (world.rank() > 0) {
                        for (const int tag : {1, 2, 3}) {
                          one[0] = static_cast<std::byte>(10 * world.rank() + tag);
                          tag == 2 ? world.synchronous_send(one, 0, tag) : world.send(one, 0, tag);
                        }
                        return;
                      }
                      const std::array<std::array<int, 2>, 6> order{{{2, 2}, {1, 1}, {1, 2}, {2, 1}, {2, 3}, {1, 3}}};
                      for (const auto& [from, tag] : order) {
                        const message there = world.probe(from, tag);
                        MUST(there.extent == 10 && there.source == from && there.tag == tag);
                        world.receive(one, from, tag);
                        MUST(one[0] == static_cast<std::byte>(10 * from + tag));
                      }
                      MUST(!world.look());
                    }),
        0);
}

TEST(Gateway, WhatWasSentIsTakenBackIfNobodyHasReceivedIt) {
  for (const auto& [size, nodes] : {std::pair(20UL, 1), {100'000UL, 1}, {20UL, 2}, {100'000UL, 2}})
    EXPECT_EQ(failures_of({2, 2, false, "", nodes},
                          [size = size](communicator& world) {
                            const bytes out = data_of(size, 1);
                            if (world.rank() == 0) {
                              request kept = world.start_send(out, 1, 7), gone = world.start_send(out, 1, 8);
                              MUST(gone.cancel());
                              kept.wait();
                              request late = world.start_send(out, 1, 9);
                              world.barrier();
                              MUST(!late.cancel());
                              late.wait();
                              return;
                            }
                            bytes in(size);
                            world.receive(in, 0, 7);
                            MUST(in == out);
                            world.receive(in, 0, 9);
                            world.barrier();
                            MUST(!world.look());
                          }),
              0);
}

TEST(Gateway, CommunicatorsOfSomeRanksKeepTheirMessagesApart) {
  for (const job& one : jobs)
    EXPECT_EQ(
        failures_of(one,
                    [&one](communicator& world) {
                      const int me = world.rank(), n = world.size();
                      communicator part = world.split(me % 2, -me);
                      MUST(part.size() == (me % 2 == 0 ? (n + 1) / 2 : n / 2));
                      std::vector<int> all(static_cast<std::size_t>(n)), some(static_cast<std::size_t>(part.size()));
                      world.all_gather(me, all);
                      for (int r = 0; r < n; ++r) MUST(all[static_cast<std::size_t>(r)] == r);
                      part.all_gather(me, some);
                      for (int r = 0; r < part.size(); ++r)
                        MUST(some[static_cast<std::size_t>(r)] % 2 == me % 2 &&
                             (r == 0 || some[static_cast<std::size_t>(r)] < some[static_cast<std::size_t>(r - 1)]));
                      std::vector<int> everyone;
                      for (int r = 0; r < n; ++r) everyone.push_back(n - 1 - r);
                      communicator turned = world.among(everyone, 3), again = world.among(everyone, 3);
                      MUST(turned.rank() == n - 1 - me);
                      const bytes a(1, std::byte{1}), b(1, std::byte{2});
                      bytes in(1);
                      request first = again.start_send(b, (again.rank() + 1) % n),
                              second = turned.start_send(a, (turned.rank() + 1) % n);
                      turned.receive(in);
                      MUST(in[0] == std::byte{1});
                      again.receive(in);
                      MUST(in[0] == std::byte{2});
                      first.wait();
                      second.wait();
                      std::vector<int> told(100, me == n - 1 ? 5 : 0);
                      world.broadcast(told, n - 1);
                      MUST(told == std::vector<int>(100, 5));
                      for (int round = first_round(one, 200); round < 200; ++round)
                        round % 3 == 0 ? part.barrier() : world.barrier();
                    }),
        0);
}

/// Adds the ranks' numbers. The rank says its kind, so it is a brief call or none.
struct sum_call final : brief_call {
  sum_call(std::uint64_t its_kind, int its_number) : said(its_kind), number(its_number) {}

  std::uint64_t kind() const noexcept override { return said; }
  std::span<const std::byte> gives() const noexcept override { return std::as_bytes(std::span(&number, 1)); }
  void make(std::span<const std::byte> given, std::span<joint_call* const> all, std::span<const int> here) override {
    int sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      int its = 0;
      std::memcpy(&its, given.data() + i * sizeof its, sizeof its);
      sum = sum * 3 + its;  // the order of the ranks matters
    }
    for (const int rank : here) {
      auto& its = static_cast<sum_call&>(*all[static_cast<std::size_t>(rank)]);
      its.result = sum;
      its.was_brief = true;
      its.made_for = here.size();
    }
  }
  bool meet(std::span<joint_call* const> all) override {
    int sum = 0;
    for (joint_call* const one : all) sum = sum * 3 + static_cast<sum_call*>(one)->number;
    for (joint_call* const one : all) static_cast<sum_call*>(one)->result = sum;
    return false;
  }
  void pack(std::span<const int>, std::vector<std::byte>& into) override { append(into, &number, sizeof number); }
  std::unique_ptr<joint_call> unpack(int, std::span<const std::byte> packed) override {
    int its = 0;
    std::memcpy(&its, packed.data(), sizeof its);
    return std::make_unique<sum_call>(0, its);
  }

  const std::uint64_t said;
  const int number;
  int result = -1;
  bool was_brief = false;
  std::size_t made_for = 0;
};

TEST(Gateway, BriefCallsOfFewRanksOfANodeTakeNoPackets) {
  for (const job& one : jobs)
    EXPECT_EQ(
        failures_of(one,
                    [in_slots = one.ranks <= 8 && one.nodes == 1, processes = one.processes](communicator& world) {
                      const int n = world.size(), me = world.rank();
                      const auto expect_alone = [&](communicator& in) {
                        sum_call mine(7, me);
                        in.together(mine);
                        // Each rank makes what it gets; of what comes in packets one does so for its process.
                        MUST(mine.was_brief && (!in_slots || mine.made_for == 1));
                        return mine.made_for > 1 ? 1 : 0;
                      };
                      std::vector<int> all(static_cast<std::size_t>(n));
                      world.all_gather(expect_alone(world), all);
                      if (!in_slots && n > processes) MUST(std::count(all.begin(), all.end(), 1) > 0);
                      // Groups that are gone leave their slots to others, which are made in two ways.
                      for (int round = 0; round < 100; ++round) {
                        communicator part = world.split(me % 2, me);
                        if (part.size() > 1) expect_alone(part);
                        std::vector<int> everyone;
                        for (int r = 0; r < n; ++r) everyone.push_back((r + round) % n);
                        communicator turned = world.among(everyone, round);
                        for (int i = 0; i < round % 3; ++i) expect_alone(turned);
                      }
                      // More than have slots at a time.
                      std::vector<communicator> many;
                      for (int i = 0; i < 80; ++i) many.push_back(world.split(0, me));
                      for (communicator& its : many) {
                        sum_call mine(7, 1);
                        its.together(mine);
                        MUST(mine.was_brief);
                      }
                    }),
        0);
}

TEST(Gateway, BriefCallsGiveWhatOthersGive) {
  for (const job& one : jobs)
    EXPECT_EQ(failures_of(one,
                          [&one](communicator& world) {
                            const int me = world.rank(), n = world.size();
                            communicator turned = world.split(0, -me);
                            const auto sum_of = [n](int round) {
                              int sum = 0;
                              for (int rank = 0; rank < n; ++rank) sum = sum * 3 + rank + round;
                              return sum;
                            };
                            // All are brief; none is; one rank's is not; one is of another kind.
                            const auto kind_in = [me, n](int round) -> std::uint64_t {
                              if (round % 4 == 1 || (round % 4 == 2 && me == 0)) return 0;
                              return round % 4 == 3 && me == n - 1 ? 8 : 7;
                            };
                            for (int round = first_round(one, 120); round < 120; ++round) {
                              sum_call mine(kind_in(round), me + round);
                              world.together(mine);
                              MUST(mine.result == sum_of(round));
                              MUST(mine.was_brief == (round % 4 == 0));
                            }
                            for (int round = first_round(one, 40); round < 40; ++round) {
                              std::array<std::unique_ptr<sum_call>, 5> begun;
                              std::vector<request> requests;
                              for (int i = 0; i < 5; ++i) {
                                begun[static_cast<std::size_t>(i)] =
                                    std::make_unique<sum_call>(kind_in(round + i), n - 1 - me + round + i);
                                requests.push_back(turned.start_together(*begun[static_cast<std::size_t>(i)]));
                              }
                              for (int i = 4; i >= 0; --i) {
                                requests[static_cast<std::size_t>(i)].wait();
                                MUST(begun[static_cast<std::size_t>(i)]->result == sum_of(round + i));
                              }
                            }
                          }),
              0);
}

/// Adds the ranks' numbers, where they lie.
struct sums_call final : brief_call, combined_call {
  explicit sums_call(std::vector<std::int64_t>& its) : sums_call(its, its) {}
  sums_call(std::vector<std::int64_t>& its, std::vector<std::int64_t>& into) : numbers(its), result(into) {}

  std::uint64_t kind() const noexcept override { return 0; }
  std::span<const std::byte> gives() const noexcept override { return {}; }
  void make(std::span<const std::byte>, std::span<joint_call* const>, std::span<const int>) override {}

  std::uint64_t combined_kind() const noexcept override { return numbers.size(); }
  elements combines() const noexcept override { return {numbers.size(), sizeof numbers[0]}; }
  places lie_at() const noexcept override {
    return {reinterpret_cast<const std::byte*>(numbers.data()), reinterpret_cast<std::byte*>(result.data())};
  }
  void combine(const std::byte* more, std::byte* sum, std::size_t count) const noexcept override {
    auto* const into = reinterpret_cast<std::int64_t*>(sum);
    const auto* const from = reinterpret_cast<const std::int64_t*>(more);
    for (std::size_t i = 0; i < count; ++i) into[i] = 3 * into[i] + from[i];
  }
  bool meet(std::span<joint_call* const> all) override {
    std::vector<std::int64_t> sum(numbers.size());
    const auto in_bytes = [](auto& of) { return reinterpret_cast<std::byte*>(of.data()); };
    for (joint_call* const one : all)
      combine(in_bytes(static_cast<sums_call*>(one)->numbers), in_bytes(sum), numbers.size());
    for (joint_call* const one : all) static_cast<sums_call*>(one)->result = sum;
    has_met = true;
    return false;
  }
  void pack(std::span<const int>, std::vector<std::byte>& into) override {
    append(into, numbers.data(), numbers.size() * sizeof numbers[0]);
  }
  std::unique_ptr<joint_call> unpack(int, std::span<const std::byte> packed) override {
    stand_ins.emplace_back(packed.size() / sizeof numbers[0]);
    std::memcpy(stand_ins.back().data(), packed.data(), packed.size());
    return std::make_unique<sums_call>(stand_ins.back());
  }

  std::vector<std::int64_t>&numbers, &result;
  std::deque<std::vector<std::int64_t>> stand_ins;
  bool has_met = false;
};

TEST(Gateway, RanksOfProcessesDivideSums) {
  for (const job& one : jobs)
    EXPECT_EQ(failures_of(one,
                          [divides = one.ranks <= 8 && one.nodes == 1 && !one.in_pieces](communicator& world) {
                            const int me = world.rank(), n = world.size();
                            world.barrier();  // all processes have begun
                            for (const std::size_t count : {1U, 2U, 7U, 4096U, 4097U, 100'000U})
                              for (int round = 0; round < 3; ++round) {
                                const auto given = [&](int rank, std::size_t i) {
                                  return static_cast<std::int64_t>(i) * 7 + rank * (round + 1);
                                };
                                std::vector<std::int64_t> numbers(count), all(count);
                                for (std::size_t i = 0; i < count; ++i) numbers[i] = given(me, i);
                                for (std::size_t i = 0; i < count; ++i)
                                  for (int rank = 0; rank < n; ++rank) all[i] = 3 * all[i] + given(rank, i);
                                std::vector<std::int64_t> apart(count);
                                std::vector<std::int64_t>& result = (me + round) % 2 == 0 ? apart : numbers;
                                sums_call mine(numbers, result);
                                world.together(mine);
                                MUST(result == all);
                                MUST(!divides || !mine.has_met);
                              }
                          }),
              0);
}

/// Gives one rank's bytes to all.
struct tell_call final : brief_call {
  tell_call(bool briefly, int from, bytes its) : is_brief(briefly), teller(from), told(std::move(its)) {}

  std::uint64_t kind() const noexcept override { return is_brief ? 1 + static_cast<std::uint64_t>(teller) : 0; }
  int giver() const noexcept override { return teller; }
  std::span<const std::byte> gives() const noexcept override { return told; }
  void make(std::span<const std::byte> given, std::span<joint_call* const> all, std::span<const int> here) override {
    for (const int rank : here) {
      static_cast<tell_call&>(*all[static_cast<std::size_t>(rank)]).told.assign(given.begin(), given.end());
      was_brief = true;
    }
  }
  bool meet(std::span<joint_call* const> all) override {
    const auto& from = static_cast<tell_call&>(*all[static_cast<std::size_t>(teller)]);
    for (joint_call* const one : all) static_cast<tell_call*>(one)->told = from.told;
    return false;
  }
  void pack(std::span<const int>, std::vector<std::byte>& into) override { append(into, told.data(), told.size()); }
  std::unique_ptr<joint_call> unpack(int, std::span<const std::byte> packed) override {
    return std::make_unique<tell_call>(false, teller, bytes(packed.begin(), packed.end()));
  }

  const bool is_brief;
  const int teller;
  bytes told;
  bool was_brief = false;
};

TEST(Gateway, OneRankGivesWhatAllGetInABriefCall) {
  for (const job& one : jobs)
    EXPECT_EQ(failures_of(one,
                          [&one](communicator& world) {
                            const int me = world.rank(), n = world.size();
                            bool some_was_brief = false;
                            for (int round = first_round(one, 300); round < 300; ++round) {
                              const int from = round % n;
                              // The longest that is brief, and one that is not.
                              const std::size_t size = static_cast<std::size_t>(round) % (brief_call::most_bytes + 2);
                              tell_call mine(round % 3 > 0 || me > 0, from,
                                             me == from ? data_of(size, round) : bytes());
                              world.together(mine);
                              MUST(mine.told == data_of(size, round));
                              some_was_brief |= mine.was_brief;
                            }
                            std::vector<int> all(static_cast<std::size_t>(n));
                            world.all_gather(some_was_brief ? 1 : 0, all);
                            MUST(std::count(all.begin(), all.end(), 1) > 1);  // a rank of each process makes it
                          }),
              0);
}

TEST(Gateway, AMessageThatIsTooLongIsAnErrorOfItsReceiver) {
  EXPECT_EQ(failures_of({2, 2},
                        [](communicator& world) {
                          for (const std::size_t size : {std::size_t{100}, std::size_t{50'000}}) {
                            const bytes out(size);
                            bytes in(10);
                            if (world.rank() == 0) {
                              world.send(out, 1);
                              continue;
                            }
                            try {
                              world.receive(in, 0);
                              MUST(false);
                            } catch (const error& e) {
                              MUST(std::string(e.what()).find("rank 1 received a message of") != std::string::npos);
                            }
                          }
                        }),
            0);
}

TEST(Gateway, WhatAProcessDoesNotHaveIsCalledAtTheHostOfTheJob) {
  const auto offer = [](host& its, int process) {
    if (process != of_job) {
      its.offer("process", [process] { return process; });
      its.offer("through", [&its](const bytes& data) { return its.call_further<bytes>("turned", data); });
      // Further out is no host of a process.
      its.offer("not through", [&its] { return its.call_further<int>("process"); });
      return;
    }
    its.offer("turned", [](std::span<const std::byte> data) { return bytes(data.rbegin(), data.rend()); });
    its.offer("next", [next = 0]() mutable { return next++; });
    its.offer("refuse", [](const std::string& why) -> int { throw std::runtime_error(why); });
  };
  for (const job& one : jobs)
    EXPECT_EQ(failures_of(
                  one,
                  [&one](communicator& world) {
                    const int me = world.rank(), n = world.size();
                    for (const std::size_t size : {0U, 1U, 1000U, 40'000U, 3'000'000U}) {
                      const bytes data = data_of(size, me);
                      const bytes expected(data.rbegin(), data.rend());
                      MUST(world.call<bytes>("turned", data) == expected);
                      MUST(world.call<bytes>("through", data) == expected);
                    }
                    // Each number goes to one rank.
                    std::vector<int> mine(10), all(10 * static_cast<std::size_t>(n));
                    for (int& number : mine) number = world.call<int>("next");
                    MUST(std::is_sorted(mine.begin(), mine.end()));
                    world.all_gather(mine, all);
                    std::sort(all.begin(), all.end());
                    for (std::size_t i = 0; i < all.size(); ++i) MUST(all[i] == static_cast<int>(i));
                    const auto told = [&](const char* name, const char* said, auto... values) {
                      try {
                        world.call<int>(name, values...);
                      } catch (const error& e) {
                        return std::string(e.what()).find(said) != std::string::npos;
                      }
                      return false;
                    };
                    MUST(told("refuse", ": the function threw: no", "no"));
                    MUST(told("nothing",
                              "there is no such function; there are 'not through', 'process', 'through', 'next', "
                              "'refuse', 'turned'"));
                    MUST(told("next", "it is called as int(text), but it is int()", "no"));
                    MUST(told("not through", "there is no such function; there are 'next', 'refuse', 'turned'"));
                    MUST(world.call<int>("process") == in_blocks(n, one.processes)[static_cast<std::size_t>(me)]);
                  },
                  offer),
              0);
}

}  // namespace
}  // namespace maslin
