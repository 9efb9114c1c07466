#pragma once
// What is thought of tree and model before the data is seen. The defaults are those of MrBayes 3.2.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "phylo/model/model.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// A distribution of positive numbers.
struct Distribution {
  enum class Kind {
    gamma_dirichlet,  ///< branch lengths only: tree length gamma(shape, rate), its parts Dirichlet(tips, ratio * tips)
    exponential,      ///< rate
    uniform,          ///< low, high
    dirichlet,        ///< shapes, of as many parts as there are
    beta,             ///< shapes of the part and of what is left of it
  };
  Kind kind = Kind::exponential;
  std::vector<double> parameters = {1};

  bool operator==(const Distribution&) const = default;
};

/// What a prior is of: says which distributions it can have.
enum class PriorOf { branches, rates, frequencies, kappa, shape, invariant };

/// Gives the distribution that the text names ("exponential:10"); a Dirichlet one has that many parts. Throws
/// `input_error` that names `option` and says what can stand there.
Distribution parse_prior(PriorOf what, std::string_view text, const std::string& option, std::size_t parts = 0);
/// Gives its text.
std::string to_string(const Distribution& prior);
/// Gives the Dirichlet distribution under which all parts of 1 are as probable.
Distribution flat_dirichlet(std::size_t parts);

/// Which parameters of a model are sampled: those that its notation does not fix. Frequencies are sampled unless they
/// are given or equal.
struct Sampled {
  std::size_t rates = 0;  ///< so many distinct ones, as parts of 1; 0: none, or kappa instead
  bool kappa = false;
  bool frequencies = false;
  bool shape = false;
  bool invariant = false;

  explicit Sampled(const Model& model);
};

/// All topologies are equally probable. Everything else:
struct Priors {
  Priors() = default;
  /// Those of as many rates and frequencies as are sampled of the model.
  explicit Priors(const Model& model);

  Distribution branches{Distribution::Kind::gamma_dirichlet, {1, 0.1, 1, 1}};
  Distribution rates = flat_dirichlet(6);  ///< of the distinct ones
  Distribution frequencies = flat_dirichlet(4);
  Distribution kappa{Distribution::Kind::beta, {1, 1}};  ///< of kappa / (1 + kappa)
  Distribution shape{Distribution::Kind::exponential, {1}};
  Distribution invariant{Distribution::Kind::beta, {1, 1}};
};

/// The distinct exchange rates of a model of DNA, in the order in which AC, AG, AT, CG, CT, GT bring them.
struct DistinctRates {
  std::array<double, 6> values{};
  std::size_t count = 0;

  explicit DistinctRates(const Model& model);
  /// Gives each of the model's rates the value that it is tied to.
  void set_in(Model& model) const;
};

/// A proposal with a length or a parameter outside of these is not accepted; no prior has noticeable mass there.
struct SampledBounds {
  static constexpr double length_low = 1e-9, length_high = 1e3;
  static constexpr double part_low = 1e-6;  ///< of rates, frequencies, the invariant sites, kappa / (1 + kappa)
  static constexpr double shape_low = 1e-4, shape_high = 1e4;
};

/// Gives the logarithm of the prior density of topology and branch lengths; minus infinity where a bound is passed.
double log_prior(const Distribution& branches, const Tree& tree);
/// The same of the parameters of the model that are sampled. Distinct rates are parts of 1 if they are sampled.
double log_prior(const Priors& priors, const Sampled& sampled, const Model& model);

/// Gives transitions over transversions of K80 and HKY.
inline double kappa_of(const Model& model) { return model.rates[1] / model.rates[0]; }

}  // namespace phylo
