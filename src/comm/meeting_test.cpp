#include "comm/meeting.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace maslin::comm {

namespace {

using detail::collective;
using detail::elements_of;

std::string disagreement_of(std::vector<arrival> all) {
  std::vector<joint_call*> ranks;
  for (arrival& one : all) ranks.push_back(&one);
  return disagreement(ranks);
}

TEST(Meeting, AgreesWhereAllBringTheSame) {
  std::array<int, 2> a{}, b{};
  const auto broadcast = [](auto& data) {
    return arrival{{collective::broadcast, 1, elements_of(data), elements_of(data)}, {}};
  };
  EXPECT_EQ(disagreement_of({broadcast(a), broadcast(b)}), "");
  EXPECT_EQ(disagreement_of({arrival{{collective::barrier}, {}}, arrival{{collective::barrier}, {}}}), "");
}

TEST(Meeting, SaysWhoBringsSomethingElse) {
  std::array<int, 2> two{};
  std::array<int, 3> three{};
  std::array<float, 2> floats{};
  const auto broadcast = [](auto& data, int root) {
    return arrival{{collective::broadcast, root, elements_of(data), elements_of(data)}, {}};
  };
  EXPECT_NE(disagreement_of({broadcast(two, 0), broadcast(two, 1)}).find("rank 1 calls broadcast with root 1"),
            std::string::npos);
  EXPECT_NE(disagreement_of({broadcast(two, 0), broadcast(floats, 0)}).find("of 2 x float"), std::string::npos);
  EXPECT_NE(disagreement_of({broadcast(two, 0), broadcast(three, 0)}).find("rank 1 has to give 2 elements"),
            std::string::npos);
  EXPECT_NE(disagreement_of({arrival{{collective::barrier}, {}}, broadcast(two, 0)}).find("rank 0 calls barrier"),
            std::string::npos);
  const auto gather = [](auto& given, auto& all) {
    return arrival{{collective::gather, any_source, elements_of(given), elements_of(all)}, {}};
  };
  std::array<int, 4> four{};
  EXPECT_EQ(disagreement_of({gather(two, four), gather(two, four)}), "");
  EXPECT_NE(disagreement_of({gather(two, four), gather(two, three)}).find("has to have room for 4 elements"),
            std::string::npos);
  const auto turn = [](auto& given, auto& all) {
    return arrival{{collective::all_to_all, any_source, elements_of(given), elements_of(all)}, {}};
  };
  EXPECT_NE(disagreement_of({turn(three, three), turn(three, three)}).find("cannot be divided evenly among 2 ranks"),
            std::string::npos);
  EXPECT_NE(disagreement_of({turn(two, two), turn(two, two)}).find("overlap"), std::string::npos);
}

}  // namespace

}  // namespace maslin::comm
