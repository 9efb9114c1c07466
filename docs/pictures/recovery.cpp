// page_picture_recovery MODEL SITES SEED TREE ALIGNMENT: lets so many sites evolve along a random tree under a model
// with given values, as in GTR{1/2/1/1/2/1}+FU{0.3/0.2/0.2/0.3}+G4m{0.5}, and writes the tree and the alignment of its
// tips to these files. MODEL may be partitions as well, whose ranges follow one another: then each has the sites that
// it names. Of a model with +ASC, sites that are the same at all tips are thrown away. Sites change by leaps at
// exponential times, so no matrix of probabilities is computed: recovery.py lets maslin-phylo fit such data and draws
// what it finds beside what made them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "phylo/io/file.hpp"
#include "phylo/io/newick.hpp"
#include "phylo/model/scheme.hpp"
#include "phylo/model/spectrum.hpp"
#include "phylo/search/random.hpp"
#include "phylo/tree/grown_tree.hpp"

namespace {

constexpr int taxa = 16;

/// Gives which of some weights, whose sum is known, a number of [0, 1) falls on.
std::size_t drawn(const double* weights, std::size_t count, double sum, double u) {
  std::size_t at = 0;
  for (u *= sum; at + 1 < count && u >= weights[at]; ++at) u -= weights[at];
  return at;
}

class Evolution {
 public:
  Evolution(const phylo::Model& model, phylo::Random& random)
      : model_(model),
        random_(random),
        states_(static_cast<std::size_t>(model.states())),
        leaps_(phylo::rate_matrix(model)),
        categories_(phylo::category_rates(model)) {
    for (std::size_t i = 0; i < states_; ++i) leaps_[(states_ + 1) * i] = 0;
  }

  /// Gives the states of all tips at one more site of the data.
  std::vector<std::size_t> site(const phylo::Tree& tree) {
    while (true) {
      std::vector<std::size_t> states = any_site(tree);
      if (!model_.ascertained() || std::count(states.begin(), states.end(), states[0]) < tree.tips()) return states;
    }
  }

 private:
  std::vector<std::size_t> any_site(const phylo::Tree& tree) {
    const double speed = drawn_speed();
    std::vector<std::size_t> at_tips(static_cast<std::size_t>(tree.tips()));
    const std::size_t root = drawn(model_.frequencies.data(), states_, 1, random_.uniform());
    at_tips[0] = root;
    std::vector<std::pair<phylo::HalfEdge, std::size_t>> open{{0, root}};
    while (!open.empty()) {
      const auto [h, state] = open.back();
      open.pop_back();
      const phylo::HalfEdge far = tree.back(h);
      const std::size_t there = after(state, tree.length(h) * speed);
      if (tree.is_tip(far)) at_tips[static_cast<std::size_t>(far)] = there;
      for (phylo::HalfEdge side = tree.next(far); side != far; side = tree.next(side)) open.emplace_back(side, there);
    }
    return at_tips;
  }

  double drawn_speed() {
    if (model_.with_invariant && random_.uniform() < model_.invariant) return 0;
    if (!model_.has_free_categories()) return categories_[random_.below(categories_.size())];
    return categories_[drawn(model_.free_category_shares.data(), categories_.size(), 1, random_.uniform())];
  }

  /// Gives what a state has become after a time.
  std::size_t after(std::size_t state, double time) {
    while (true) {
      const double* const row = leaps_.data() + states_ * state;
      double sum = 0;
      for (std::size_t i = 0; i < states_; ++i) sum += row[i];
      time -= -std::log1p(-random_.uniform()) / sum;
      if (!(time > 0)) return state;
      state = drawn(row, states_, sum, random_.uniform());
    }
  }

  const phylo::Model& model_;
  phylo::Random& random_;
  std::size_t states_;
  phylo::Matrix leaps_;  // rates, without the diagonal
  std::vector<double> categories_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "expected MODEL SITES SEED TREE ALIGNMENT\n");
    return 2;
  }
  try {
    const phylo::Scheme scheme = phylo::parse_scheme(argv[1], "MODEL");
    const int sites = std::atoi(argv[2]);
    phylo::Random random(std::strtoull(argv[3], nullptr, 10));
    const phylo::Tree tree = phylo::grown_tree(taxa, random, [&] { return 0.05 + 0.25 * random.uniform(); });
    std::vector<std::string> names, rows(taxa);
    for (int taxon = 0; taxon < taxa; ++taxon) names.push_back(fmt::format("t{}", taxon));
    for (const phylo::SchemePart& part : scheme.parts) {
      Evolution evolution(part.model, random);
      const std::size_t end = part.ranges.empty() ? static_cast<std::size_t>(sites) : part.ranges.back().last;
      while (rows.front().size() < end) {
        const std::vector<std::size_t> states = evolution.site(tree);
        for (std::size_t taxon = 0; taxon < rows.size(); ++taxon)
          rows[taxon] += part.model.alphabet->symbols[states[taxon]];
      }
    }
    const std::size_t all = rows.front().size();
    std::string alignment = fmt::format("{} {}\n", taxa, all);
    for (std::size_t taxon = 0; taxon < rows.size(); ++taxon)
      alignment += fmt::format("{} {}\n", names[taxon], rows[taxon]);
    phylo::write_file(argv[4], phylo::to_newick(tree, names) + "\n");
    phylo::write_file(argv[5], alignment);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
  return 0;
}
