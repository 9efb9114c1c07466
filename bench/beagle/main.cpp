// Nanoseconds per site pattern of newview (4 rates, double precision, both children inner nodes) beside those of BEAGLE
// on one thread. Both have the same matrices and conditional likelihoods; the log-likelihoods at a branch of the node
// that was computed must agree before any time is taken. `beside_beagle STATES PATTERNS ROUNDS` prints one line of
// JSON: BEAGLE's version, and the times of each side, round by round. Sides run by turns: ours, ours again, and each of
// BEAGLE's implementations that works here, once without scaling and once with. Ours always looks whether a pattern
// must be scaled, BEAGLE either divides every pattern by its largest value or looks at none.

#include <libhmsbeagle/beagle.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "phylo/like/buffer.hpp"
#include "phylo/like/kernels.hpp"

namespace {

constexpr int rates = 4;
constexpr double least_seconds = 0.02;  // of one side in one round

/// The node that is computed has two children; a third branch leads to the rest of the tree.
enum Node { left, right, rest, parent, nodes };

/// What both sides compute with, in BEAGLE's order.
struct Data {
  Data(int of_states, int of_patterns) : states(of_states), patterns(of_patterns) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> value(0.01, 1);
    // Rows of this many sum to 1.
    const auto shares = [&](std::vector<double>& row) {
      double sum = 0;
      for (int i = 0; i < states; ++i) sum += row.emplace_back(value(random));
      for (std::size_t i = row.size() - static_cast<std::size_t>(states); i < row.size(); ++i) row[i] /= sum;
    };
    shares(frequencies);
    for (int node = left; node <= rest; ++node) {
      for (int row = 0; row < rates * states; ++row) shares(matrices[node]);
      for (int r = 0; r < rates; ++r)
        for (int p = 0; p < patterns; ++p)
          for (int i = 0; i < states; ++i) likelihoods[node].push_back(value(random) * (p % 256 == 0 ? 1e-60 : 1));
    }
  }

  int states;
  int patterns;
  std::vector<double> frequencies;
  std::vector<double> matrices[rest + 1];     // [rate][row][column]
  std::vector<double> likelihoods[rest + 1];  // [rate][pattern][state]
};

class Ours {
 public:
  explicit Ours(const Data& d)
      : kernels_(phylo::choose_kernels(d.states)), groups_(d.patterns / phylo::lanes), weights_(of(d.patterns)) {
    for (int node = 0; node < nodes; ++node) {
      likelihoods_[node] = phylo::Buffer<double>(of(d.patterns * rates * d.states));
      counts_[node] = phylo::Buffer<std::int32_t>(of(d.patterns));
      if (node == parent) continue;
      matrices_[node] = phylo::Buffer<double>(d.matrices[node].size());
      for (std::size_t i = 0; i < matrices_[node].size(); ++i) matrices_[node][i] = d.matrices[node][i];
      const double* from = d.likelihoods[node].data();
      for (int r = 0; r < rates; ++r)
        for (int p = 0; p < d.patterns; ++p)
          for (int i = 0; i < d.states; ++i) {
            const int row = (p / phylo::lanes * rates + r) * d.states + i;
            likelihoods_[node][of(row * phylo::lanes + p % phylo::lanes)] = *from++;
          }
    }
    // At the branch where the likelihood is taken, they hold the frequencies and the weights of the rates as well.
    for (std::size_t i = 0; i < matrices_[rest].size(); ++i)
      matrices_[rest][i] *= d.frequencies[i / of(d.states) % of(d.states)] / rates;
    for (std::size_t p = 0; p < weights_.size(); ++p) weights_[p] = 1;
  }

  void newview() {
    const phylo::Newview step{likelihoods_[parent].data(), counts_[parent].data(), end(left), end(right)};
    kernels_.newview(&step, 1, rates, 0, groups_);
  }
  double log_likelihood() {
    newview();
    return kernels_.evaluate({end(parent), end(rest), {weights_.data(), nullptr}}, rates, 0, groups_);
  }

 private:
  static std::size_t of(int count) { return static_cast<std::size_t>(count); }
  phylo::Operand end(Node node) const {
    return {likelihoods_[node].data(), counts_[node].data(), nullptr, matrices_[node].data(), false};
  }

  const phylo::Kernels& kernels_;
  int groups_;
  phylo::Buffer<double> likelihoods_[nodes], matrices_[nodes], weights_;
  phylo::Buffer<std::int32_t> counts_[nodes];
};

class Beagle {
 public:
  /// Gives nothing where the library has no implementation for these vectors.
  static std::optional<Beagle> make(const Data& d, long vectors, bool scaled) {
    BeagleInstanceDetails details{};
    const int instance = beagleCreateInstance(0, nodes, 0, d.states, d.patterns, 1, rest + 1, rates, 2, nullptr, 0, 0,
                                              vectors | BEAGLE_FLAG_PRECISION_DOUBLE | BEAGLE_FLAG_PROCESSOR_CPU |
                                                  BEAGLE_FLAG_THREADING_NONE | BEAGLE_FLAG_SCALING_MANUAL,
                                              &details);
    if (instance < 0) return std::nullopt;
    Beagle made(instance, scaled, details.implName + std::string(scaled ? ", scaled" : ""));
    made.give(d);
    return made;
  }
  ~Beagle() {
    if (instance_ >= 0) beagleFinalizeInstance(instance_);
  }
  Beagle(Beagle&& other) noexcept
      : instance_(std::exchange(other.instance_, -1)), scaled_(other.scaled_), name_(std::move(other.name_)) {}
  Beagle& operator=(Beagle&&) = delete;

  const std::string& name() const { return name_; }
  void newview() {
    const BeagleOperation step{parent, scaled_ ? 0 : BEAGLE_OP_NONE, BEAGLE_OP_NONE, left, left, right, right};
    expect(beagleUpdatePartials(instance_, &step, 1, BEAGLE_OP_NONE));
  }
  double log_likelihood() {
    newview();
    const int near = parent, far = rest, first = 0, scale = 0;
    int all = BEAGLE_OP_NONE;
    if (scaled_) {
      all = 1;
      expect(beagleResetScaleFactors(instance_, all));
      expect(beagleAccumulateScaleFactors(instance_, &scale, 1, all));
    }
    double lnl = 0;
    expect(beagleCalculateEdgeLogLikelihoods(instance_, &near, &far, &far, nullptr, nullptr, &first, &first, &all, 1,
                                             &lnl, nullptr, nullptr));
    return lnl;
  }

 private:
  Beagle(int instance, bool scaled, std::string name) : instance_(instance), scaled_(scaled), name_(std::move(name)) {}
  void give(const Data& d) {
    for (int node = left; node <= rest; ++node) {
      expect(beagleSetPartials(instance_, node, d.likelihoods[node].data()));
      expect(beagleSetTransitionMatrix(instance_, node, d.matrices[node].data(), 1));
    }
    expect(beagleSetStateFrequencies(instance_, 0, d.frequencies.data()));
    expect(beagleSetCategoryWeights(instance_, 0, std::vector<double>(rates, 1.0 / rates).data()));
    expect(beagleSetPatternWeights(instance_, std::vector<double>(static_cast<std::size_t>(d.patterns), 1).data()));
  }
  static void expect(int code) {
    if (code != BEAGLE_SUCCESS) throw std::runtime_error("BEAGLE fails with code " + std::to_string(code));
  }

  int instance_;
  bool scaled_;
  std::string name_;
};

/// Gives the implementations that there are here, one at least.
std::vector<Beagle> beagles(const Data& d) {
  std::vector<Beagle> found;
  for (const long vectors : {BEAGLE_FLAG_VECTOR_NONE, BEAGLE_FLAG_VECTOR_SSE, BEAGLE_FLAG_VECTOR_AVX})
    for (const bool scaled : {false, true})
      if (std::optional<Beagle> one = Beagle::make(d, vectors, scaled)) found.push_back(std::move(*one));
  if (found.empty()) throw std::runtime_error("BEAGLE has no implementation for this processor");
  return found;
}

double ns_per_pattern(const std::function<void()>& newview, int patterns) {
  using Clock = std::chrono::steady_clock;
  newview();
  const Clock::time_point begin = Clock::now();
  std::chrono::duration<double> passed{};
  int done = 0;
  for (; passed.count() < least_seconds; ++done, passed = Clock::now() - begin) newview();
  return 1e9 * passed.count() / done / patterns;
}

}  // namespace

int main(int argc, char** argv) try {
  const auto number = [&](int i) { return argc == 4 ? std::atoi(argv[i]) : 0; };
  const int states = number(1), patterns = number(2), rounds = number(3);
  if ((states != 4 && states != 20) || patterns < 1 || patterns % phylo::lanes != 0 || rounds < 1) {
    std::fprintf(stderr, "usage: beside_beagle 4|20 PATTERNS ROUNDS, PATTERNS a multiple of %d\n", phylo::lanes);
    return 2;
  }
  const Data data(states, patterns);
  Ours ours(data);
  std::vector<Beagle> theirs = beagles(data);
  const double lnl = ours.log_likelihood();
  std::vector<std::pair<std::string, std::function<void()>>> sides;
  for (const char* name : {"maslin", "maslin again"}) sides.emplace_back(name, [&] { ours.newview(); });
  for (Beagle& one : theirs) {
    if (const double other = one.log_likelihood(); !(std::abs(lnl - other) <= 1e-12 * std::abs(lnl))) {
      std::fprintf(stderr, "beside_beagle: the log-likelihood is %.17g, but %s gives %.17g; no time is worth taking\n",
                   lnl, one.name().c_str(), other);
      return 1;
    }
    sides.emplace_back(one.name(), [&] { one.newview(); });
  }
  std::map<std::string, std::vector<double>> times;
  for (std::size_t round = 0; round < static_cast<std::size_t>(rounds); ++round)
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const auto& [name, newview] = sides[(round + i) % sides.size()];
      times[name].push_back(ns_per_pattern(newview, patterns));
    }
  std::printf("%s\n", nlohmann::json({{"version", beagleGetVersion()}, {"ns_per_pattern", times}}).dump().c_str());
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "beside_beagle: %s\n", e.what());
  return 1;
}
