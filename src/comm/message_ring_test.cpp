// A ring gives what was put, in its order, and never more than it has room for.

#include "comm/message_ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace maslin::comm;

/// The i-th message: of other lengths, tags, groups and types than those beside it.
std::vector<std::uint16_t> shorts_of(std::uint64_t i) {
  std::vector<std::uint16_t> made(i * 37 % 11 < 6 ? i % 5 : i * 37 % (message_ring::most_bytes / 2 + 1));
  for (std::size_t k = 0; k < made.size(); ++k) made[k] = static_cast<std::uint16_t>(i * 31 + k * 7);
  return made;
}
envelope said_of(std::uint64_t i) {
  return {static_cast<int>(i % 8), static_cast<int>(i * 1000003 % 2147483647), static_cast<std::uint32_t>(i * 77777)};
}
const std::type_info& type_of(std::uint64_t i) { return i % 3 == 0 ? typeid(std::uint16_t) : typeid(short); }

bool put(message_ring& to, std::uint64_t i) {
  auto data = shorts_of(i);
  return to.put(said_of(i), {data.data(), data.size(), sizeof data[0], &type_of(i)});
}

/// Takes a message, which must be that one; false where there is none.
bool take(message_ring& from, std::uint64_t i) {
  message_ring::head one;
  if (!from.first(one)) return false;
  EXPECT_TRUE(from.has_some());
  const auto expected = shorts_of(i);
  const envelope said = said_of(i);
  EXPECT_EQ(one.said.source, said.source);
  EXPECT_EQ(one.said.tag, said.tag);
  EXPECT_EQ(one.said.group, said.group);
  EXPECT_EQ(one.data.extent, expected.size());
  EXPECT_EQ(one.bytes(), expected.size() * 2);
  EXPECT_EQ(*one.data.type, type_of(i));
  std::vector<std::uint16_t> came(expected.size());
  from.copy_to(came.data(), one.bytes());
  EXPECT_EQ(came, expected);
  from.pop(one.bytes());
  return true;
}

TEST(MessageRing, GivesWhatWasPutInItsOrder) {
  const auto one = std::make_unique<message_ring>();
  std::mt19937 random(7);
  std::uint64_t was_put = 0, gone = 0;
  // The turns are counted in 16 bits, and begin anew meanwhile.
  for (; gone < 3'000'000 && !HasFailure();) {
    for (std::uint32_t some = random() % 100; some > 0 && put(*one, was_put); --some) ++was_put;
    EXPECT_EQ(one->is_read(), was_put == gone);
    for (std::uint32_t some = random() % 100; some > 0 && take(*one, gone); --some) ++gone;
    EXPECT_LE(gone, was_put);
  }
}

TEST(MessageRing, HasRoomForAsMuchAsItSays) {
  const auto one = std::make_unique<message_ring>();
  const std::vector<char> data(message_ring::most_bytes + 1);
  const auto put_bytes = [&](std::size_t bytes) {
    return one->put({}, {const_cast<char*>(data.data()), bytes, 1, &typeid(char)});
  };
  message_ring::head first;
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_TRUE(one->is_read());
    EXPECT_FALSE(one->has_some());
    EXPECT_FALSE(put_bytes(message_ring::most_bytes + 1));
    EXPECT_FALSE(one->first(first));
    for (std::size_t i = 0; i < message_ring::cells; ++i) ASSERT_TRUE(put_bytes(i % 9)) << i;
    EXPECT_FALSE(put_bytes(0));
    ASSERT_TRUE(one->first(first));
    one->pop(first.bytes());
    EXPECT_FALSE(put_bytes(9)) << "takes two cells";
    EXPECT_TRUE(put_bytes(8));
    while (one->first(first)) one->pop(first.bytes());
    EXPECT_TRUE(put_bytes(message_ring::most_bytes));
    while (one->first(first)) one->pop(first.bytes());
  }
}

TEST(MessageRing, NumbersMessagesByOneNumberEach) {
  const auto one = std::make_unique<message_ring>();
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(put(*one, i));
    message_ring::head first;
    ASSERT_TRUE(one->first(first));
    EXPECT_EQ(first.number, one->number());
    EXPECT_NE(first.number, 0u);
    numbers.push_back(first.number);
    ASSERT_TRUE(take(*one, i));
  }
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end()), numbers.end());
}

TEST(MessageRing, IsReadWhileItIsWritten) {
  constexpr std::uint64_t all = 200'000;
  const auto one = std::make_unique<message_ring>();
  std::thread writer([&] {
    for (std::uint64_t i = 0; i < all;) put(*one, i) ? ++i : (std::this_thread::yield(), i);
  });
  for (std::uint64_t i = 0; i < all;) take(*one, i) ? ++i : (std::this_thread::yield(), i);
  writer.join();
  EXPECT_TRUE(one->is_read());
}

}  // namespace
