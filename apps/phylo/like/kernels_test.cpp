// The kernels of every instruction set that this processor has, against the plain formulas and against each other.

#include "phylo/like/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "phylo/io/error.hpp"
#include "phylo/like/buffer.hpp"
#include "phylo/like/newton.hpp"
#include "phylo/like/scaling.hpp"

namespace {

using phylo::Buffer;
using phylo::Kernels;
using phylo::lanes;
using phylo::Operand;

struct Case {
  const Kernels* kernels;
  int rates;
};

bool has_floats(const Kernels& k) { return k.number_bytes == sizeof(float); }

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.kernels->name << " with " << c.kernels->states << " states and " << c.rates << " rates, "
       << (has_floats(*c.kernels) ? "floats" : "doubles");
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int states : {4, 20})
    for (const auto precision : {phylo::Precision::binary64, phylo::Precision::binary32})
      for (const Kernels* k : phylo::runnable_kernels(states, precision))
        for (int rates : {1, 4, 5, 8}) all.push_back({k, rates});
  return all;
}

/// A CLV as the kernels keep it.
class Clv {
 public:
  Clv() = default;
  Clv(const Kernels& k, std::size_t size) : floats_(has_floats(k)), size_(size), bytes_(size * k.number_bytes) {}
  std::size_t size() const { return size_; }
  void* data() { return bytes_.data(); }
  const void* data() const { return bytes_.data(); }
  double operator[](std::size_t i) const {
    return floats_ ? static_cast<const float*>(data())[i] : static_cast<const double*>(data())[i];
  }
  void set(std::size_t i, double value) {
    if (floats_)
      static_cast<float*>(data())[i] = static_cast<float>(value);
    else
      static_cast<double*>(data())[i] = value;
  }
  void multiply(std::size_t i, double by) { set(i, (*this)[i] * by); }

 private:
  bool floats_ = false;
  std::size_t size_ = 0;
  Buffer<std::byte> bytes_;
};

/// Operands of all kinds with random content: 5 groups.
class KernelTest : public testing::TestWithParam<Case> {
 protected:
  static constexpr int groups = 5;
  static constexpr int patterns = groups * lanes;

  KernelTest()
      : k(*GetParam().kernels),
        rates(GetParam().rates),
        states(k.states),
        bits(has_floats(k) ? phylo::scale_bits<float> : phylo::scale_bits<double>),
        rounded(has_floats(k) ? 1e-7 : 1e-14) {
    for (int x = 0; x < 3; ++x) {
      clv[x] = Clv(k, static_cast<std::size_t>(patterns) * states * rates);
      scale[x] = Buffer<std::int32_t>(patterns);
      codes[x] = Buffer<std::uint8_t>(patterns);
      matrix[x] = Buffer<double>(static_cast<std::size_t>(phylo::matrix_doubles(rates, states)));
      table[x] = Buffer<double>(static_cast<std::size_t>(phylo::table_doubles(rates, states)));
      for (std::size_t i = 0; i < clv[x].size(); ++i) clv[x].set(i, uniform(1e-3, 1));
      for (std::size_t i = 0; i < matrix[x].size(); ++i) matrix[x][i] = uniform(0, 1);
      for (std::size_t p = 0; p < patterns; ++p) {
        scale[x][p] = static_cast<std::int32_t>(uniform(0, 3));
        codes[x][p] = static_cast<std::uint8_t>(uniform(0, class_groups(x) * lanes));
      }
      class_clv[x] = Clv(k, static_cast<std::size_t>(2 * lanes) * states * rates);
      for (std::size_t i = 0; i < class_clv[x].size(); ++i) class_clv[x].set(i, uniform(1e-3, 1));
      k.class_table(matrix[x].data(), states * states, class_clv[x].data(), class_groups(x), rates, table[x].data());
    }
    weights = Buffer<double>(patterns);
    invariant = Buffer<double>(patterns);
    for (std::size_t p = 0; p < patterns; ++p) {
      weights[p] = std::floor(uniform(0, 5));
      invariant[p] = p % 2 ? 0 : uniform(0, 0.1);
    }
  }

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }

  /// The first operand has as many classes as a tip, the others have more.
  static int class_groups(int x) { return x == 0 ? 1 : 2; }
  Operand inner(int x) const { return {clv[x].data(), scale[x].data(), nullptr, matrix[x].data(), false}; }
  Operand sorted(int x) const { return {nullptr, nullptr, codes[x].data(), table[x].data(), class_groups(x) > 1}; }
  /// An end of a branch with matrices of its own, `stride` apart for each rate; sorted, its classes pass them here.
  Operand end(int x, bool is_sorted, const Buffer<double>& matrices, int stride) {
    if (!is_sorted) {
      Operand plain = inner(x);
      plain.matrices = matrices.data();
      return plain;
    }
    k.class_table(matrices.data(), stride, class_clv[x].data(), class_groups(x), rates, table[x].data());
    return sorted(x);
  }

  std::size_t at(int pattern, int rate, int base) const {
    return (static_cast<std::size_t>(pattern / lanes) * rates * states + states * rate + base) * lanes +
           pattern % lanes;
  }
  double value(int x, bool is_sorted, int pattern, int rate, int base) const {
    return is_sorted ? class_clv[x][at(codes[x][pattern], rate, base)] : clv[x][at(pattern, rate, base)];
  }
  /// (matrix * operand)[base], summed in the plain way.
  double across(int x, bool is_sorted, int pattern, int rate, int base) const {
    double sum = 0;
    for (int j = 0; j < states; ++j)
      sum += matrix[x][states * (states * rate + base) + j] * value(x, is_sorted, pattern, rate, j);
    return sum;
  }
  int count(int x, bool is_sorted, int pattern) const { return is_sorted ? 0 : scale[x][pattern]; }

  const Kernels& k;
  int rates;
  int states;
  int bits;        ///< of a step of scaling
  double rounded;  ///< how far a number of a CLV may be off, relative
  std::mt19937_64 random{7};
  Clv clv[3], class_clv[3];
  Buffer<double> matrix[3], table[3], weights, invariant;
  Buffer<std::int32_t> scale[3];
  Buffer<std::uint8_t> codes[3];
};

TEST_P(KernelTest, NewviewMultipliesWhatComesAcrossBothBranches) {
  Clv out(k, clv[0].size());
  Buffer<std::int32_t> counts(patterns);
  for (int kind = 0; kind < 3; ++kind) {
    const bool left_sorted = kind > 0, right_sorted = kind > 1;
    const phylo::Newview step{out.data(), counts.data(), left_sorted ? sorted(0) : inner(0),
                              right_sorted ? sorted(1) : inner(1)};
    k.newview(&step, 1, rates, 0, groups);
    for (int p = 0; p < patterns; ++p) {
      EXPECT_EQ(counts[p], count(0, left_sorted, p) + count(1, right_sorted, p));
      for (int r = 0; r < rates; ++r)
        for (int i = 0; i < states; ++i) {
          const double expected = across(0, left_sorted, p, r, i) * across(1, right_sorted, p, r, i);
          EXPECT_NEAR(out[at(p, r, i)], expected, rounded * expected) << p;
        }
    }
  }
}

TEST_P(KernelTest, NewviewDoesOnlyTheGroupsItIsTold) {
  Clv out(k, clv[0].size());
  Buffer<std::int32_t> counts(patterns);
  const phylo::Newview step{out.data(), counts.data(), inner(0), inner(1)};
  k.newview(&step, 1, rates, 2, 4);
  for (int p = 0; p < patterns; ++p) EXPECT_EQ(out[at(p, 0, 0)] != 0, p >= 2 * lanes && p < 4 * lanes);
}

TEST_P(KernelTest, NewviewScalesOnlyPatternsThatAreTooSmall) {
  // As powers of a step, so small that one step more counts.
  const auto steps_of = [&](double steps) { return std::exp2(-bits * steps); };
  for (std::size_t i = 0; i < clv[0].size(); ++i) clv[0].multiply(i, steps_of(0.78));
  // One pattern is small enough to be scaled, one needs two steps, one holds nothing but zeros.
  for (int r = 0; r < rates; ++r)
    for (int i = 0; i < states; ++i) {
      clv[0].multiply(at(3, r, i), steps_of(0.7));
      clv[0].multiply(at(17, r, i), steps_of(1.3));
      clv[1].multiply(at(17, r, i), steps_of(0.4));
      clv[0].set(at(30, r, i), 0);
    }
  Clv out(k, clv[0].size());
  Buffer<std::int32_t> counts(patterns);
  const phylo::Newview step{out.data(), counts.data(), inner(0), inner(1)};
  k.newview(&step, 1, rates, 0, groups);
  for (int p = 0; p < patterns; ++p) {
    const int steps = p == 3 ? 1 : p == 17 ? 2 : 0;
    EXPECT_EQ(counts[p], count(0, false, p) + count(1, false, p) + steps) << p;
    for (int r = 0; r < rates; ++r)
      for (int i = 0; i < states; ++i) {
        const double expected = std::ldexp(across(0, false, p, r, i) * across(1, false, p, r, i), bits * steps);
        EXPECT_NEAR(out[at(p, r, i)], expected, rounded * expected) << p;
      }
  }
}

TEST_P(KernelTest, ScalingEndsWhereAPatternIsNoNumber) {
  constexpr int none = 5, small = 7;
  for (std::size_t i = 0; i < clv[0].size(); ++i) clv[0].multiply(i, std::exp2(-bits * 0.7));
  for (int r = 0; r < rates; ++r)
    for (int i = 0; i < states; ++i) {
      clv[0].multiply(at(small, r, i), std::exp2(-bits * 0.7));
      clv[0].set(at(none, r, i), std::numeric_limits<double>::quiet_NaN());
    }
  Clv out(k, clv[0].size());
  Buffer<std::int32_t> counts(patterns);
  const phylo::Newview step{out.data(), counts.data(), inner(0), inner(1)};
  k.newview(&step, 1, rates, 0, groups);
  for (int p = 0; p < lanes; ++p) {
    EXPECT_EQ(counts[p], count(0, false, p) + count(1, false, p) + (p == small ? 1 : 0)) << p;
    for (int r = 0; r < rates; ++r)
      for (int i = 0; i < states; ++i) EXPECT_EQ(std::isnan(out[at(p, r, i)]), p == none) << p;
  }
}

TEST_P(KernelTest, WhatIsNoNumberIsNotTakenForASmallOne) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  constexpr int none = 5, boundless = 9;
  clv[0].set(at(none, 0, 1), nan);
  clv[0].set(at(boundless, 0, 1), infinite);
  for (const bool with_invariant : {false, true}) {
    const phylo::Sites sites{weights.data(), with_invariant ? invariant.data() : nullptr};
    Buffer<double> logs(patterns);
    k.logarithms({inner(0), inner(1), sites}, rates, 0, groups, logs.data());
    EXPECT_TRUE(std::isnan(logs[none]));
    EXPECT_EQ(logs[boundless], infinite);
    for (int p = 0; p < patterns; ++p) EXPECT_EQ(std::isfinite(logs[p]), p != none && p != boundless) << p;
    EXPECT_TRUE(std::isnan(k.evaluate({inner(0), inner(1), sites}, rates, 0, groups)));
    Operand hung = inner(2);
    hung.matrices = nullptr;
    EXPECT_TRUE(std::isnan(k.junction({inner(0), inner(1), hung, sites}, rates, 0, groups)));
  }
  const Buffer<double> expansion(static_cast<std::size_t>(phylo::expansion_doubles(states)));
  Buffer<double> exponents(static_cast<std::size_t>(phylo::exponent_doubles(rates, states))), out(matrix[0].size());
  exponents[0] = nan;
  k.matrices(expansion.data(), exponents.data(), rates, 0.1, out.data());
  for (int x = 0; x < states * states; ++x) EXPECT_TRUE(std::isnan(out[static_cast<std::size_t>(x)])) << x;
}

/// log of a likelihood that is kept as value * 2^(-bits count), with an invariant part.
double logarithm(double value, int bits, int count, double invariant) {
  const long double all =
      std::ldexp(static_cast<long double>(value), -bits * count) + static_cast<long double>(invariant);
  return static_cast<double>(std::log(all));
}

TEST_P(KernelTest, EvaluateSumsWeightedLogarithms) {
  for (int kind = 0; kind < 3; ++kind)
    for (bool with_invariant : {false, true}) {
      const bool far_sorted = kind > 0, near_sorted = kind > 1;
      Operand near = near_sorted ? sorted(0) : inner(0);
      k.class_table(nullptr, 0, class_clv[0].data(), class_groups(0), rates, table[0].data());
      const phylo::Evaluation e{
          near, far_sorted ? sorted(1) : inner(1), {weights.data(), with_invariant ? invariant.data() : nullptr}};
      double expected = 0;
      Buffer<double> logs(patterns);
      k.logarithms(e, rates, 0, 2, logs.data());
      k.logarithms(e, rates, 2, groups, logs.data());
      for (int p = 0; p < patterns; ++p) {
        double likelihood = 0;
        for (int r = 0; r < rates; ++r)
          for (int i = 0; i < states; ++i)
            likelihood += value(0, near_sorted, p, r, i) * across(1, far_sorted, p, r, i);
        const double log = logarithm(likelihood, bits, count(0, near_sorted, p) + count(1, far_sorted, p),
                                     with_invariant ? invariant[p] : 0);
        EXPECT_NEAR(logs[p], log, 1e-12 * std::abs(log)) << p;
        expected += weights[p] * log;
      }
      EXPECT_NEAR(k.evaluate(e, rates, 0, groups), expected, 1e-12 * std::abs(expected));
      // Blocks add up.
      EXPECT_NEAR(k.evaluate(e, rates, 0, 2) + k.evaluate(e, rates, 2, groups), expected, 1e-12 * std::abs(expected));
    }
}

TEST_P(KernelTest, JunctionIsTheLikelihoodWhereThreeBranchesMeet) {
  for (int kind = 0; kind < 6; ++kind) {
    const bool near_sorted = kind % 3 > 0, far_sorted = kind % 3 > 1, hung_sorted = kind >= 3;
    Operand hung = hung_sorted ? sorted(2) : inner(2);
    if (!hung_sorted) hung.matrices = nullptr;
    const phylo::Junction e{near_sorted ? sorted(0) : inner(0),
                            far_sorted ? sorted(1) : inner(1),
                            hung,
                            {weights.data(), invariant.data()}};
    double expected = 0;
    for (int p = 0; p < patterns; ++p) {
      double likelihood = 0;
      for (int r = 0; r < rates; ++r)
        for (int i = 0; i < states; ++i)
          likelihood += across(0, near_sorted, p, r, i) * across(1, far_sorted, p, r, i) *
                        (hung_sorted ? across(2, true, p, r, i) : value(2, false, p, r, i));
      const int counts = count(0, near_sorted, p) + count(1, far_sorted, p) + count(2, hung_sorted, p);
      expected += weights[p] * logarithm(likelihood, bits, counts, invariant[p]);
    }
    EXPECT_NEAR(k.junction(e, rates, 0, groups), expected, 1e-12 * std::abs(expected)) << kind;
  }
}

TEST_P(KernelTest, PrepareBringsACLVAcrossABranch) {
  Clv out(k, clv[0].size());
  Buffer<std::int32_t> counts(patterns);
  k.prepare(inner(0), out.data(), counts.data(), rates, 0, groups);
  for (int p = 0; p < patterns; ++p) {
    EXPECT_EQ(counts[p], scale[0][p]);
    for (int r = 0; r < rates; ++r)
      for (int i = 0; i < states; ++i) {
        const double expected = across(0, false, p, r, i);
        EXPECT_NEAR(out[at(p, r, i)], expected, rounded * expected);
      }
  }
}

TEST_P(KernelTest, LogarithmsAreExactOverTheWholeRange) {
  // One rate, unit vectors: the likelihood of a pattern is one number that is chosen.
  if (rates != 1 || has_floats(k)) return;
  for (int i = 0; i < states * states; ++i) matrix[1][i] = i == 0;
  Buffer<double> w(patterns);
  for (double exponent = -307; exponent < 10; exponent += 0.37) {
    const double x = std::pow(10.0, exponent);
    for (int p = 0; p < patterns; ++p) {
      clv[0].set(at(p, 0, 0), x);
      clv[1].set(at(p, 0, 0), 1);
      scale[0][p] = scale[1][p] = 0;
      w[p] = p == 11;
    }
    const phylo::Evaluation e{inner(0), inner(1), {w.data(), nullptr}};
    EXPECT_NEAR(k.evaluate(e, 1, 0, groups), std::log(x), 4e-16 * std::max(1.0, std::abs(std::log(x)))) << x;
  }
  for (double x :
       {0.9999999999999999, 1.0, 1.0000000000000002, 0.7071067811865475, 0.7071067811865476, 1.4142135623730951}) {
    for (int p = 0; p < patterns; ++p) clv[0].set(at(p, 0, 0), x);
    const phylo::Evaluation e{inner(0), inner(1), {w.data(), nullptr}};
    EXPECT_NEAR(k.evaluate(e, 1, 0, groups), std::log(x), 2e-16) << x;
  }
}

TEST_P(KernelTest, MatricesAreExpansionsInExponentials) {
  const int padded = phylo::exponent_doubles(rates, states), size = phylo::matrix_doubles(1, states);
  Buffer<double> exponents(padded), out(static_cast<std::size_t>(size * rates)), expansion(states * size);
  for (int x = 0; x < size; ++x) expansion[x] = uniform(0, 1);
  for (int x = size; x < states * size; ++x) expansion[x] = uniform(-0.3, 0.3);
  for (int x = 0; x < (states - 1) * rates; ++x) exponents[x] = -uniform(1e-3, 3);
  for (double t : {0.0, 1e-9, 1e-6, 1e-3, 0.1, 1.0, 10.0, 100.0, 5000.0}) {
    k.matrices(expansion.data(), exponents.data(), rates, t, out.data());
    for (int r = 0; r < rates; ++r)
      for (int x = 0; x < size; ++x) {
        double expected = expansion[x];
        for (int n = 1; n < states; ++n)
          expected += expansion[n * size + x] * std::expm1(exponents[(states - 1) * r + n - 1] * t);
        EXPECT_NEAR(out[size * r + x], std::max(expected, 0.0), states == 4 ? 1e-15 : 5e-15) << t;
      }
  }
}

TEST_P(KernelTest, SlopesAreThoseOfTheLogLikelihood) {
  const int padded = phylo::exponent_doubles(rates, states), terms = states - 1;
  Buffer<double> exponents(padded), value(padded), first(padded), second(padded);
  Buffer<double> sums(static_cast<std::size_t>(1 + terms * rates) * patterns), near(states * states),
      far(states * states);
  for (int x = 0; x < terms * rates; ++x) exponents[x] = -uniform(0.1, 3);
  for (int x = 0; x < states * states; ++x) near[x] = uniform(0, 1), far[x] = uniform(0, 1);
  for (int kind = 0; kind < 3; ++kind) {
    const bool far_sorted = kind > 0, near_sorted = kind > 1;
    const Operand a = end(0, near_sorted, near, 0), b = end(1, far_sorted, far, 0);
    k.sumtable({sums.data(), a, b, invariant.data()}, rates, 0, groups);
    // The same function in the plain way; differences of it are the slopes.
    const auto log_likelihood = [&](long double t) {
      long double total = 0;
      for (int p = 0; p < patterns; ++p) {
        long double likelihood = 0;
        for (int r = 0; r < rates; ++r)
          for (int n = 0; n < states; ++n) {
            long double x = 0, y = 0;
            for (int i = 0; i < states; ++i) {
              x += near[states * n + i] * this->value(0, near_sorted, p, r, i);
              y += far[states * n + i] * this->value(1, far_sorted, p, r, i);
            }
            likelihood += x * y * (n == 0 ? 1 : std::exp(exponents[terms * r + n - 1] * t));
          }
        const int counts = count(0, near_sorted, p) + count(1, far_sorted, p);
        total += weights[p] * std::log(std::ldexp(likelihood, -bits * counts) + static_cast<long double>(invariant[p]));
      }
      return total;
    };
    for (double t : {1e-3, 0.2, 1.5}) {
      k.factors(exponents.data(), rates, t, value.data(), first.data(), second.data());
      const auto s =
          k.slopes({sums.data(), {value.data(), first.data(), second.data()}, weights.data()}, rates, 0, groups);
      const long double h = 1e-4L, middle = log_likelihood(t), right = log_likelihood(t + h),
                        left = log_likelihood(t - h);
      EXPECT_NEAR(s.first, static_cast<double>((right - left) / (2 * h)), 1e-6 * std::abs(s.first) + 1e-9);
      EXPECT_NEAR(s.second, static_cast<double>((right - 2 * middle + left) / (h * h)),
                  1e-5 * std::abs(s.second) + 1e-6);
    }
  }
}

TEST_P(KernelTest, ProductsAreSumsOverPatternsOfWhatArrivesFromBothEnds) {
  const int terms = states - 1;
  Buffer<double> values(phylo::exponent_doubles(rates, states)), near(rates * states * states), far(states * states);
  Clv near_room(k, clv[0].size()), far_room(k, clv[0].size());
  Buffer<double> out(rates * states * states);
  for (int x = 0; x < terms * rates; ++x) values[x] = uniform(0.1, 1);
  for (std::size_t x = 0; x < near.size(); ++x) near[x] = uniform(0, 1);
  for (std::size_t x = 0; x < far.size(); ++x) far[x] = uniform(0, 1);
  constexpr int first_group = 1;
  for (int kind = 0; kind < 6; ++kind) {
    const bool far_sorted = kind % 3 > 0, near_sorted = kind % 3 > 1;
    const int stride = kind < 3 ? 0 : states * states;
    const Operand a = end(0, near_sorted, near, stride), b = end(1, far_sorted, far, 0);
    k.products({a, b, {weights.data(), invariant.data()}, values.data(), near_room.data(), far_room.data(), stride},
               rates, first_group, groups, out.data());
    std::vector<double> expected(out.size(), 0.0), x(static_cast<std::size_t>(rates * states)), y = x;
    for (int p = first_group * lanes; p < patterns; ++p) {
      double likelihood = 0;
      for (int r = 0; r < rates; ++r)
        for (int n = 0; n < states; ++n) {
          double &of_near = x[static_cast<std::size_t>(states * r + n)],
                 &of_far = y[static_cast<std::size_t>(states * r + n)];
          of_near = of_far = 0;
          for (int i = 0; i < states; ++i) {
            of_near += near[stride * r + states * n + i] * value(0, near_sorted, p, r, i);
            of_far += far[states * n + i] * value(1, far_sorted, p, r, i);
          }
          likelihood += of_near * of_far * (n == 0 ? 1 : values[terms * r + n - 1]);
        }
      likelihood += std::ldexp(invariant[p], bits * (count(0, near_sorted, p) + count(1, far_sorted, p)));
      for (int r = 0; r < rates; ++r)
        for (int n = 0; n < states; ++n)
          for (int l = 0; l < states; ++l)
            expected[static_cast<std::size_t>(states * (states * r + n) + l)] +=
                weights[p] / likelihood * x[static_cast<std::size_t>(states * r + n)] *
                y[static_cast<std::size_t>(states * r + l)];
    }
    for (std::size_t at = 0; at < out.size(); ++at)
      ASSERT_NEAR(out[at], expected[at], 100 * rounded * expected[at]) << at;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryInstructionSet, KernelTest, testing::ValuesIn(cases()));

TEST(ChooseKernels, ObeysTheEnvironmentOrSaysWhyNot) {
  const char* before = std::getenv("MASLIN_SIMD");
  const std::string kept = before ? before : "";
  for (const int states : {4, 20})
    for (const Kernels* k : phylo::runnable_kernels(states)) {
      setenv("MASLIN_SIMD", k->name, 1);
      EXPECT_EQ(&phylo::choose_kernels(states), k);
    }
#if defined(__aarch64__)
  setenv("MASLIN_SIMD", "avx2", 1);
#else
  setenv("MASLIN_SIMD", "neon", 1);
#endif
  EXPECT_THROW(phylo::choose_kernels(), phylo::input_error);
  unsetenv("MASLIN_SIMD");
  EXPECT_EQ(&phylo::choose_kernels(20), phylo::runnable_kernels(20).front());
  EXPECT_EQ(phylo::choose_kernels(2).states, 4);
  EXPECT_EQ(phylo::choose_kernels(5).states, 20);
  setenv("MASLIN_SIMD", "banana", 1);
  try {
    phylo::choose_kernels();
    ADD_FAILURE() << "accepted MASLIN_SIMD=banana";
  } catch (const phylo::input_error& e) {
    EXPECT_NE(std::string(e.what()).find("MASLIN_SIMD=banana"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("scalar, avx2, avx512 or neon"), std::string::npos);
  }
  setenv("MASLIN_SIMD", "avx-512", 1);
  try {
    phylo::choose_kernels();
    ADD_FAILURE() << "accepted MASLIN_SIMD=avx-512";
  } catch (const phylo::input_error& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'avx512'?"), std::string::npos) << e.what();
  }
  if (before)
    setenv("MASLIN_SIMD", kept.c_str(), 1);
  else
    unsetenv("MASLIN_SIMD");
}

double found_top(double top, double bend, double start) {
  // -bend (log t - log top)^2: concave near the top only.
  return phylo::maximize_length(start, 1e-6, 100, 64, 1e-9, [&](double t) {
    const double u = std::log(t / top);
    return phylo::Slopes{-2 * bend * u / t, -2 * bend * (1 - u) / (t * t)};
  });
}

TEST(MaximizeLength, FindsTheTopFromAnywhere) {
  for (double top : {1e-5, 1e-3, 0.1, 1.0, 50.0})
    for (double start : {1e-6, 1e-4, 0.01, 0.5, 20.0, 100.0})
      for (double bend : {10.0, 1e4})
        EXPECT_NEAR(found_top(top, bend, start) / top, 1, 1e-4) << top << " from " << start;
}

TEST(MaximizeLength, EndsAtABoundThatTheSlopePointsTo) {
  const auto falling = [](double) { return phylo::Slopes{-3, 0.1}; };
  const auto rising = [](double t) { return phylo::Slopes{3 / t, -3 / (t * t)}; };
  EXPECT_EQ(phylo::maximize_length(0.3, 1e-6, 100, 64, 1e-9, falling), 1e-6);
  EXPECT_EQ(phylo::maximize_length(0.3, 1e-6, 100, 64, 1e-9, rising), 100);
}

TEST(MaximizeLength, CallsAreBounded) {
  int calls = 0;
  phylo::maximize_length(0.3, 1e-6, 100, 5, 0, [&](double t) {
    ++calls;
    return phylo::Slopes{std::sin(1000 * t) * 1e9, 1};
  });
  EXPECT_EQ(calls, 5);
}

}  // namespace
