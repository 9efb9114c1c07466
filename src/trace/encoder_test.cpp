#include "trace/encoder.hpp"

#include <gtest/gtest.h>

namespace maslin::trace::internal {
namespace {

std::vector<int> bytes_of(const encoder& e) { return {e.payload().begin(), e.payload().end()}; }

TEST(Encoder, WritesTheBytesThatTheFormatSays) {
  encoder e;
  e.begin(5);
  e.add(1000, event_kind::offload_begin, 2, 1);
  e.add(1100, event_kind::offload_end, 2, 1);
  e.add(1101, event_kind::offload_begin, 3, 1);
  e.add(1200, event_kind::steal, 0, 7);
  e.add(1300, event_kind::steal, 0, 6);
  const int begin = static_cast<int>(event_kind::offload_begin);
  const int end = static_cast<int>(event_kind::offload_end);
  const int steal = static_cast<int>(event_kind::steal);
  EXPECT_EQ(bytes_of(e), (std::vector<int>{5,                               // drops
                                           begin | 0xc0, 0xe8, 0x07, 2, 2,  // 1000 = 0x68 + 7·128; id; zigzag(1)
                                           end, 100,                        // all as at the begin
                                           begin | 0x80, 1, 3,              // another id
                                           steal | 0x40, 99, 14,            // zigzag(7)
                                           steal | 0x40, 100, 1}));         // zigzag(-1)
  EXPECT_EQ(e.events(), 5u);
}

TEST(Encoder, TakesTimeThatRunsBackwardsAsNoTime) {
  encoder e;
  e.begin(0);
  e.add(1000, event_kind::park, 0, 0);
  e.add(900, event_kind::unpark, 0, 0);
  e.add(1001, event_kind::park, 0, 0);
  const int park = static_cast<int>(event_kind::park);
  EXPECT_EQ(bytes_of(e), (std::vector<int>{0, park, 0xe8, 0x07, park + 1, 0, park, 1}));
}

TEST(Encoder, GrowsWithItsBlock) {
  encoder e;
  e.begin(0);
  for (std::uint64_t i = 0; i < 100'000; ++i)
    e.add(i << 20, event_kind::task_create, static_cast<std::uint32_t>(i), i * 0x123456789abcdefu);
  EXPECT_EQ(e.events(), 100'000u);
  EXPECT_GT(e.payload().size(), 1'000'000u);
}

TEST(Format, ZigzagKeepsEveryDifference) {
  for (const std::uint64_t d :
       {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{12345}})
    EXPECT_EQ(unzigzag(zigzag(d)), d);
  EXPECT_EQ(zigzag(~std::uint64_t{0}), 1u);  // -1 is short
}

TEST(Format, ChecksumNoticesEverySingleByte) {
  std::vector<unsigned char> data(37);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i * 7);
  const std::uint64_t whole = base::checksum(1, data.data(), data.size());
  for (std::size_t i = 0; i < data.size(); ++i)
    for (int flip = 1; flip < 256; ++flip) {
      data[i] ^= static_cast<unsigned char>(flip);
      EXPECT_NE(base::checksum(1, data.data(), data.size()), whole);
      data[i] ^= static_cast<unsigned char>(flip);
    }
}

TEST(Kinds, PackAndUnpackTheirArguments) {
  const auto s = unpack<stream_at>(pack(stream_at{123456789, 42}));
  EXPECT_EQ(s.index, 123456789);
  EXPECT_EQ(s.slot, 42);
  const auto l = unpack<loop_shape>(pack(loop_shape{512, 64}));
  EXPECT_EQ(l.blocks, 512);
  EXPECT_EQ(l.width, 64);
  const auto c = unpack<chunk_at>(pack(chunk_at{no_slot, 77, 100'000}));
  EXPECT_EQ(c.slot, no_slot);
  EXPECT_EQ(c.first_block, 77);
  EXPECT_EQ(c.blocks, 0xffff);  // that many or more
  const auto d = unpack<decision_of>(pack(decision_of{{8, 3}, decision_stage::pinned, 1.25f}));
  EXPECT_EQ(d.under, (configuration{8, 3}));
  EXPECT_EQ(d.stage, decision_stage::pinned);
  EXPECT_EQ(d.throughput, 1.25f);
  const auto by = unpack<sized_by>(pack(sized_by{7, 0xffffffff}));
  EXPECT_EQ(by.policy, 7u);
  EXPECT_EQ(by.unit, 0xffffffffu);
  const auto t = unpack<teams_of>(pack(teams_of{{300, 70, 299}, 100'000}));
  EXPECT_EQ(t.under, (configuration{300, 70, 299}));
  EXPECT_EQ(t.samples, 0xffff);  // that many or more
  const auto chosen = unpack<choice_of>(pack(choice_of{2.5f, true}));
  EXPECT_EQ(chosen.expected, 2.5f);
  EXPECT_TRUE(chosen.stands);
  EXPECT_FALSE(unpack<choice_of>(pack(choice_of{2.5f, false})).stands);
  const auto known = unpack<estimate_of>(pack(estimate_of{1.25f, -1}));
  EXPECT_EQ(known.throughput, 1.25f);
  EXPECT_EQ(known.error, -1);
}

TEST(Kinds, EveryKindHasANameOfItsOwn) {
  for (int k = 1; k < event_kinds; ++k)
    for (int other = 0; other < k; ++other)
      EXPECT_NE(to_string(static_cast<event_kind>(k)), to_string(static_cast<event_kind>(other)));
  EXPECT_EQ(to_string(static_cast<event_kind>(63)), "unknown");
}

}  // namespace
}  // namespace maslin::trace::internal
