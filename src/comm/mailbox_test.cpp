#include "comm/mailbox.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <list>
#include <random>

namespace maslin::comm {

namespace {

TEST(Pattern, TakesItsSourceTagAndGroupOrAny) {
  EXPECT_TRUE((pattern{1, 2, 3}).takes({1, 2, 3}));
  EXPECT_TRUE((pattern{any_source, 2, 3}).takes({7, 2, 3}));
  EXPECT_TRUE((pattern{1, any_tag, 3}).takes({1, 9, 3}));
  EXPECT_FALSE((pattern{1, 2, 3}).takes({2, 2, 3}));
  EXPECT_FALSE((pattern{1, 2, 3}).takes({1, 1, 3}));
  EXPECT_FALSE((pattern{any_source, any_tag, 3}).takes({1, 2, 4}));
}

TEST(Mailbox, FindsACopyByItsSenderAndNumber) {
  mailbox box;
  transfer waits, first, second;
  first.is_copy = second.is_copy = true;
  waits.owner = first.owner = 4;
  second.owner = 5;
  waits.came = 2;
  first.came = 1;
  second.came = 2;
  for (transfer* one : {&waits, &first, &second}) box.add_message(*one);
  EXPECT_EQ(box.find_sent(4, 1, true), &first);
  EXPECT_EQ(box.find_sent(5, 2, true), &second);
  EXPECT_EQ(box.find_sent(4, 2, true), nullptr);  // its sender waits for it: it is no copy
  box.remove_message(first);
  EXPECT_EQ(box.find_sent(4, 1, true), nullptr);
}

// Whatever comes and goes in whatever order: each receive gets the earliest message that it takes, and each message
// goes to the earliest receive, as in a model of two plain lists.
TEST(Mailbox, MatchesAsTwoListsDo) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    mailbox box;
    std::deque<transfer> all;
    std::list<transfer*> messages, receives;
    for (int step = 0; step < 300; ++step) {
      transfer& one = all.emplace_back();
      const auto group = static_cast<std::uint32_t>(below(2));
      if (below(2)) {
        one.said = {below(3), below(3), group};
        transfer* expected = nullptr;
        for (transfer* receive : receives)
          if (!expected && receive->wanted.takes(one.said)) expected = receive;
        receives.remove(expected);
        ASSERT_EQ(box.match_receive(one.said), expected);
        if (!expected) {
          box.add_message(one);
          messages.push_back(&one);
        }
      } else {
        one.wanted = {below(4) - 1, below(4) - 1, group};
        transfer* expected = nullptr;
        for (transfer* sent : messages)
          if (!expected && one.wanted.takes(sent->said)) expected = sent;
        ASSERT_EQ(box.find_message(one.wanted), expected);
        messages.remove(expected);
        ASSERT_EQ(box.match_message(one.wanted), expected);
        if (!expected) {
          box.add_receive(one);
          receives.push_back(&one);
        }
      }
      if (below(10) == 0 && !receives.empty()) {
        box.remove_receive(*receives.front());
        receives.pop_front();
      }
      if (below(10) == 0 && !messages.empty()) {
        box.remove_message(*messages.back());
        messages.pop_back();
      }
    }
    for (transfer* left : messages) ASSERT_EQ(box.take_message(), left);
    ASSERT_EQ(box.take_message(), nullptr);
  }
}

TEST(Mailbox, AMatchedTransferIsNoLongerQueued) {
  mailbox box;
  transfer sent;
  sent.said = {1, 2, 0};
  box.add_message(sent);
  EXPECT_EQ(sent.is, transfer::state::queued);
  EXPECT_EQ(box.match_message({1, 2, 0}), &sent);
  EXPECT_EQ(sent.is, transfer::state::matched);
}

TEST(Delivery, CopiesWhatFitsAndSaysWhatCame) {
  int from[3] = {1, 2, 3};
  int to[4] = {};
  transfer sent;
  sent.said = {5, 6, 0};
  sent.data = {from, 3, sizeof(int), &typeid(int)};
  transfer receive;
  receive.data = {to, 4, sizeof(int), &typeid(int)};
  alignas(transfer) std::byte memory[sizeof(transfer) + sizeof from];
  ASSERT_EQ(size_of_copy(sent.bytes()), sizeof memory);
  transfer* const kept = copy_into(memory, sent);
  from[0] = 9;
  deliver(*kept, receive);
  EXPECT_EQ(to[0], 1);
  EXPECT_EQ(to[2], 3);
  EXPECT_EQ(receive.came, 3U);
  EXPECT_EQ(receive.said.source, 5);
  EXPECT_TRUE(is_right(receive));

  receive.data.extent = 2;
  to[0] = 0;
  deliver(sent, receive);
  EXPECT_EQ(to[0], 0);
  EXPECT_FALSE(is_right(receive));
  EXPECT_NE(problem_with(receive, 0), "");
}

TEST(Delivery, WhatIsWrongWithElementsIsToldInElements) {
  transfer sent, receive;
  const auto said = [&](const detail::elements& from, const detail::elements& to) {
    sent.data = from;
    receive.data = to;
    EXPECT_FALSE(say(sent, receive));
    return problem_with(receive, 0);
  };
  const detail::elements ints{nullptr, 10, sizeof(int), &typeid(int)}, chars{nullptr, 4, 1, &typeid(char)};
  const std::string as_chars = said(ints, chars), as_ints = said(chars, ints);
  EXPECT_NE(as_chars.find("a message of 10 x int from"), std::string::npos) << as_chars;
  EXPECT_NE(as_chars.find("receives 4 x char;"), std::string::npos) << as_chars;
  EXPECT_NE(as_ints.find("a message of 4 x char from"), std::string::npos) << as_ints;
  EXPECT_NE(as_ints.find("receives 10 x int;"), std::string::npos) << as_ints;
  const std::string too_long = said({nullptr, 9, 1, &typeid(int)}, {nullptr, 8, 1, &typeid(void)});
  EXPECT_NE(too_long.find("a message of 9 bytes from"), std::string::npos) << too_long;
}

TEST(Delivery, BytesAreReceivedAsTheNumbersThatTheyBeginWith) {
  const std::type_info* const types[] = {&typeid(short), &typeid(int),    &typeid(long),
                                         &typeid(float), &typeid(double), &typeid(long double)};
  char from[16] = "abc", to[16] = "";
  transfer sent, receive;
  sent.data = receive.data = {from, 16, 1, &typeid(void)};
  receive.data.data = to;
  for (const std::type_info* const a : types) {
    EXPECT_EQ(type_numbered(number_of(*a)), *a);
    for (const std::type_info* const b : types) {
      sent.data.type = a;
      receive.data.type = b;
      EXPECT_EQ(say(sent, receive), a == b);
      if (a == b) continue;
      EXPECT_NE(problem_with(receive, 0).find("16 bytes that begin with"), std::string::npos);
    }
    receive.data.type = &typeid(void);
    EXPECT_TRUE(say(sent, receive));
    std::swap(sent.data.type, receive.data.type);
    EXPECT_TRUE(say(sent, receive));
  }
  EXPECT_EQ(number_of(typeid(char)), 0);
  EXPECT_EQ(type_numbered(0), typeid(void));
}

}  // namespace

}  // namespace maslin::comm
