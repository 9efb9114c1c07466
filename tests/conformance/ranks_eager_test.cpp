// MASLIN_EAGER: which messages are kept for their receivers, so that their senders go on.

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace {

struct eager_is : setting_is {
  explicit eager_is(const char* value) : setting_is("MASLIN_EAGER", value) {}
};

/// Rank 0 sends what rank 1 wants later. Gives what is said where it waits for ever.
std::string sent_in_the_wrong_order(std::size_t bytes) {
  return complaint([bytes] {
    ms::ranks(2, [bytes](ms::communicator& world) {
      std::vector<char> late(bytes, 'x');
      int first = 3;
      if (world.rank() == 0) {
        world.send(late, 1, 1);
        world.synchronous_send(first, 1, 2);
        return;
      }
      std::vector<char> got(bytes, 'y');
      world.receive(first, 0, 2);
      EXPECT_EQ(world.receive(got, 0, 1).extent, bytes);
      EXPECT_EQ(got, late);
    });
  });
}

void expect_kept_up_to(std::size_t bytes) {
  for (const std::size_t kept : {std::size_t{0}, std::size_t{1}, bytes}) EXPECT_EQ(sent_in_the_wrong_order(kept), "");
  const std::string what = sent_in_the_wrong_order(bytes + 1);
  EXPECT_NE(what.find("a cycle: rank 0 waits for rank 1 waits for rank 0"), std::string::npos) << what;
}

class RanksEagerAsUsual : eager_is, public Promise {
 protected:
  RanksEagerAsUsual() : eager_is(nullptr) {}
};
TEST_P(RanksEagerAsUsual, Keep16KiB) { expect_kept_up_to(std::size_t{16} << 10); }
TEST_P(RanksEagerAsUsual, KeepFewThatAreLong) {
  // Of shorter ones some more are kept where they go through rings.
  for (const std::size_t bytes : {std::size_t{257}, std::size_t{4096}, std::size_t{4097}, std::size_t{16'384}}) {
    const auto room = static_cast<int>(64 / ((bytes + 4095) / 4096));  // a receiver has 64 places of 4 KiB
    for (int more = 0; more < 2; ++more) {
      const std::string what = complaint([&] {
        ms::ranks(2, [&](ms::communicator& world) {
          std::vector<char> data(bytes, 'x');
          int first = 3;
          for (int round = 0; round < 2; ++round) {  // what is received leaves its places
            if (world.rank() == 0) {
              for (int i = 0; i < room + round * more; ++i) world.send(data, 1, 1);
              world.synchronous_send(first, 1, 2);
            } else {
              world.receive(first, 0, 2);
              for (int i = 0; i < room; ++i) world.receive(data, 0, 1);
            }
            world.barrier();
          }
        });
      });
      EXPECT_EQ(what.empty(), more == 0) << bytes << ": " << what;
    }
  }
}
MASLIN_ON_EVERY_EXECUTOR(RanksEagerAsUsual);

class RanksMoreEager : eager_is, public Promise {
 protected:
  RanksMoreEager() : eager_is("64K") {}
};
TEST_P(RanksMoreEager, KeepWhatIsSaid) { expect_kept_up_to(std::size_t{64} << 10); }
MASLIN_ON_EVERY_EXECUTOR(RanksMoreEager);

class RanksNeverEager : eager_is, public Promise {
 protected:
  RanksNeverEager() : eager_is("0") {}
};
TEST_P(RanksNeverEager, WaitUntilTheirMessagesAreReceived) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{256}}) {
    const std::string what = sent_in_the_wrong_order(bytes);
    EXPECT_NE(what.find("a cycle: rank 0 waits for rank 1 waits for rank 0"), std::string::npos) << what;
    std::atomic<bool> is_wanted{false};
    ms::ranks(2, [&](ms::communicator& world) {
      std::vector<char> data(bytes);
      if (world.rank() == 0) {
        world.send(data, 1);
        EXPECT_TRUE(is_wanted);
        return;
      }
      dawdle();
      is_wanted = true;
      world.receive(data, 0);
    });
  }
}
MASLIN_ON_EVERY_EXECUTOR(RanksNeverEager);

}  // namespace
