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
        categories_(phylo::category_rates(model)) {
    if (model.mixture == nullptr)
      add_process(model);
    else
      for (const phylo::ProteinMatrix& matrix : model.mixture->matrices) add_process(phylo::model_of(matrix));
  }

  /// Gives the states of all tips at one more site of the data.
  std::vector<std::size_t> site(const phylo::Tree& tree) {
    while (true) {
      std::vector<std::size_t> states = any_site(tree);
      if (!model_.ascertained() || std::count(states.begin(), states.end(), states[0]) < tree.tips()) return states;
    }
  }

 private:
  /// Rates of leaps without the diagonal, and frequencies.
  struct Process {
    phylo::Matrix leaps;
    std::vector<double> frequencies;
  };

  void add_process(const phylo::Model& model) {
    processes_.push_back({phylo::rate_matrix(model), model.frequencies});
    for (std::size_t i = 0; i < states_; ++i) processes_.back().leaps[(states_ + 1) * i] = 0;
  }

  std::vector<std::size_t> any_site(const phylo::Tree& tree) {
    const bool invariant = model_.with_invariant && random_.uniform() < model_.invariant;
    const std::size_t category = invariant ? 0 : drawn_category();
    const double speed = invariant ? 0 : categories_[category];
    const Process& process = processes_[processes_.size() == 1 ? 0 : category];
    std::vector<std::size_t> at_tips(static_cast<std::size_t>(tree.tips()));
    const std::size_t root = drawn(process.frequencies.data(), states_, 1, random_.uniform());
    at_tips[0] = root;
    std::vector<std::pair<phylo::HalfEdge, std::size_t>> open{{0, root}};
    while (!open.empty()) {
      const auto [h, state] = open.back();
      open.pop_back();
      const phylo::HalfEdge far = tree.back(h);
      const std::size_t there = after(state, tree.length(h) * speed, process.leaps);
      if (tree.is_tip(far)) at_tips[static_cast<std::size_t>(far)] = there;
      for (phylo::HalfEdge side = tree.next(far); side != far; side = tree.next(side)) open.emplace_back(side, there);
    }
    return at_tips;
  }

  std::size_t drawn_category() {
    if (!model_.has_free_categories()) return random_.below(categories_.size());
    return drawn(model_.free_category_shares.data(), categories_.size(), 1, random_.uniform());
  }

  /// Gives what a state has become after a time.
  std::size_t after(std::size_t state, double time, const phylo::Matrix& leaps) {
    while (true) {
      const double* const row = leaps.data() + states_ * state;
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
  std::vector<Process> processes_;  // one for all categories, or one for each
  std::vector<double> categories_;  // rates
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
