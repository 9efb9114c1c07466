// The programs' answers pass their checks, and no answer does in which an element is wrong.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "linalg/program.hpp"
#include "maslin/maslin.hpp"

namespace linalg {

namespace {

struct tried {
  const char* name;
  std::function<std::unique_ptr<program>()> make;
};

const std::vector<tried>& all() {
  static const std::vector<tried> programs = {
      {"matmul",
       [] {
         return make_matmul({96, 16});
       }},
      {"matmul, blocks that no vector fits",
       [] {
         return make_matmul({21, 7});
       }},
      {"sparselu",
       [] {
         return make_sparselu({128, 16});
       }},
      {"sparselu, one block",
       [] {
         return make_sparselu({24, 24});
       }},
      {"cholesky-c",
       [] {
         return make_cholesky_c({96, 16});
       }},
      {"cholesky-c, one row a block",
       [] {
         return make_cholesky_c({12, 1});
       }},
      {"cholesky-r",
       [] {
         return make_cholesky_r({100, 20});
       }},
      {"reduct",
       [] {
         return make_reduct({37, 100});
       }},
      {"reduct, one vector",
       [] {
         return make_reduct({1, 9});
       }},
      {"fft3d",
       [] {
         return make_fft3d({16, 4, 8});
       }},
      {"fft3d, no power of two",
       [] {
         return make_fft3d({12, 3, 4});
       }},
  };
  return programs;
}

bool holds(const std::vector<check>& checks) {
  EXPECT_FALSE(checks.empty());
  for (const check& one : checks) {
    EXPECT_GT(one.bound, 0);
    EXPECT_LT(one.bound, 0.01);
    if (!one.holds()) return false;
  }
  return true;
}

std::vector<float> answer_of(program& one) {
  one.prepare();
  one.run();
  return one.answer();
}

TEST(Checks, AcceptWhatTheProgramsGive) {
  const maslin::Runtime runtime;
  for (const tried& t : all()) {
    SCOPED_TRACE(t.name);
    const auto one = t.make();
    EXPECT_TRUE(holds(one->verify(answer_of(*one))));
  }
}

TEST(Checks, FindOneWrongElementWhereverItIs) {
  const maslin::Runtime runtime;
  for (const tried& t : all()) {
    SCOPED_TRACE(t.name);
    const auto one = t.make();
    const std::vector<float> right = answer_of(*one);
    const std::size_t step = right.size() / 29 + 1;  // a prime, so that all parts of rows come up
    for (std::size_t i = 0; i < right.size(); i += step) {
      std::vector<float> wrong = right;
      wrong[i] += std::fmax(1.0F, std::fabs(wrong[i]));
      EXPECT_FALSE(holds(one->verify(wrong))) << "element " << i;
    }
  }
}

TEST(Checks, FindWhatIsNoNumber) {
  const maslin::Runtime runtime;
  for (const tried& t : all()) {
    SCOPED_TRACE(t.name);
    const auto one = t.make();
    std::vector<float> wrong = answer_of(*one);
    wrong.back() = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(holds(one->verify(wrong)));
  }
}

TEST(Checks, FindTwoElementsThatChangedPlaces) {
  const maslin::Runtime runtime;
  for (const tried& t : all()) {
    SCOPED_TRACE(t.name);
    const auto one = t.make();
    std::vector<float> wrong = answer_of(*one);
    std::swap(wrong[wrong.size() / 3], wrong[wrong.size() / 2]);
    ASSERT_NE(wrong[wrong.size() / 3], wrong[wrong.size() / 2]);
    EXPECT_FALSE(holds(one->verify(wrong)));
  }
}

TEST(Checks, SayWhereTheAnswerIsWrong) {
  const maslin::Runtime runtime;
  const auto one = make_matmul({8, 4});
  std::vector<float> wrong = answer_of(*one);
  wrong[3 * 8 + 5] = 1000;
  EXPECT_NE(one->verify(wrong)[0].worst.find("row 3, column 5 has 1000; expected "), std::string::npos);
}

TEST(Programs, GiveTheSameBitsInEachRun) {
  const maslin::Runtime runtime;
  for (const tried& t : all()) {
    SCOPED_TRACE(t.name);
    const auto one = t.make();
    const std::uint64_t first = checksum_of(answer_of(*one));
    EXPECT_EQ(checksum_of(answer_of(*one)), first);
  }
}

TEST(Programs, FactorByColumnsAndByRowsToTheSameBits) {
  const maslin::Runtime runtime;
  const auto by_columns = make_cholesky_c({96, 16}), by_rows = make_cholesky_r({96, 16});
  EXPECT_EQ(answer_of(*by_columns), answer_of(*by_rows));
}

TEST(Programs, CreateAsManyTasksAsTheirLoopsSay) {
  const maslin::Runtime runtime;
  const auto tasks = [](const std::unique_ptr<program>& one) {
    one->prepare();
    return one->run();
  };
  EXPECT_EQ(tasks(make_matmul({80, 16})), 125U);
  EXPECT_EQ(tasks(make_cholesky_c({80, 16})), 35U);  // 5 * 6 * 7 / 6
  EXPECT_EQ(tasks(make_cholesky_r({80, 16})), 35U);
  EXPECT_EQ(tasks(make_reduct({37, 10})), 36U);
  EXPECT_EQ(tasks(make_fft3d({8, 2, 4})), 3 * 8 * 4 + 2 * 8 * 3U);  // slices; blocks on and above the diagonal
}

}  // namespace

}  // namespace linalg
