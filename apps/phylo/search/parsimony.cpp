#include "phylo/search/parsimony.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "phylo/search/fitch.hpp"
#include "phylo/search/growth.hpp"

namespace phylo {
namespace {

/// How many changes a column costs on every tree; -1 when trees differ. Setting every inner node to a state b costs the
/// taxa without b. If these share no state pairwise, and one more taxon shares none with any of them, no tree does
/// better.
std::int64_t changes_on_every_tree(const std::vector<std::uint32_t>& column, int states) {
  for (int b = 0; b < states; ++b) {
    const std::uint32_t base = 1U << b;
    std::uint32_t used = 0;
    std::int64_t without = 0;
    bool apart = true;
    for (const std::uint32_t mask : column) {
      if ((mask & base) != 0) continue;
      apart = apart && (mask & used) == 0;
      used |= mask;
      ++without;
    }
    if (!apart) continue;
    if (without == 0) return 0;
    if (std::any_of(column.begin(), column.end(), [&](std::uint32_t mask) { return (mask & used) == 0; }))
      return without;
  }
  return -1;
}

/// State sets of a tree under construction, one for each direction, computed when asked for.
class StateSets {
 public:
  StateSets(const ParsimonySites& sites, const Tree& tree)
      : sites_(sites),
        kernels_(fitch_kernels(sites.planes())),
        inner_(static_cast<std::size_t>(tree.half_edges() - tree.tips()) * sites.words()),
        valid_(static_cast<std::size_t>(tree.half_edges()), 0) {}

  const FitchKernels& kernels() const { return kernels_; }
  std::size_t words() const { return sites_.words(); }

  /// The sets at h's node of what lies on h's own side of its branch.
  const std::uint64_t* of(const Tree& tree, HalfEdge h) {
    if (tree.is_tip(h)) return sites_.tip(h);
    if (!valid(h)) update(tree, h);
    return at(h);
  }

  /// Forgets every set that looks through h's branch, from either end.
  void changed(const Tree& tree, HalfEdge h) {
    forget(tree, h);
    if (tree.back(h) != none) forget(tree, tree.back(h));
  }

 private:
  bool valid(HalfEdge h) const { return h < sites_.taxa() || valid_[static_cast<std::size_t>(h)] != 0; }
  std::uint64_t* at(HalfEdge h) { return inner_.data() + static_cast<std::size_t>(h - sites_.taxa()) * sites_.words(); }
  const std::uint64_t* known(HalfEdge h) { return h < sites_.taxa() ? sites_.tip(h) : at(h); }

  void update(const Tree& tree, HalfEdge root) {
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const HalfEdge h = stack_.back();
      const HalfEdge left = tree.back(tree.next(h)), right = tree.back(tree.next(tree.next(h)));
      if (!valid(left)) stack_.push_back(left);
      if (!valid(right)) stack_.push_back(right);
      if (stack_.back() != h) continue;
      kernels_.join(known(left), known(right), at(h), sites_.words());
      valid_[static_cast<std::size_t>(h)] = 1;
      stack_.pop_back();
    }
  }

  // A valid set has valid operands, so the walk may stop where one is invalid already.
  void forget(const Tree& tree, HalfEdge h) {
    stack_.assign(1, h);
    while (!stack_.empty()) {
      const HalfEdge from = stack_.back();
      stack_.pop_back();
      for (HalfEdge side = tree.next(from); side != from; side = tree.next(side)) {
        auto& flag = valid_[static_cast<std::size_t>(side)];
        if (flag == 0) continue;
        flag = 0;
        if (tree.back(side) != none) stack_.push_back(tree.back(side));
      }
    }
  }

  const ParsimonySites& sites_;
  FitchKernels kernels_;
  std::vector<std::uint64_t> inner_;
  std::vector<std::uint8_t> valid_;
  std::vector<HalfEdge> stack_;
};

/// The cheapest of the candidates seen; among equals each is kept with the same probability.
struct Cheapest {
  std::int64_t cost = std::numeric_limits<std::int64_t>::max();
  HalfEdge at = none;
  std::uint64_t equals = 0;

  void offer(std::int64_t candidate_cost, HalfEdge candidate, Random& random) {
    if (candidate_cost > cost) return;
    equals = candidate_cost < cost ? 1 : equals + 1;
    cost = candidate_cost;
    if (equals == 1 || random.below(equals) == 0) at = candidate;
  }
};

/// Tries to hang a subtree into the branches around the place where it hangs.
class Rearranger {
 public:
  Rearranger(StateSets& sets, int radius, const Constraint* constraint)
      : sets_(sets), radius_(radius), up_(static_cast<std::size_t>(radius) * sets.words()) {
    if (constraint != nullptr) walk_.emplace(*constraint);
  }

  /// Moves the subtree behind `joint` to where it costs least if that shortens the tree; gives by how much.
  std::int64_t improve(Tree& tree, HalfEdge joint, Random& random) {
    const HalfEdge a = tree.next(joint), b = tree.next(a);
    const HalfEdge near = tree.back(a), far = tree.back(b);
    const std::uint64_t* hung = sets_.of(tree, tree.back(joint));
    const std::uint64_t *of_near = sets_.of(tree, near), *of_far = sets_.of(tree, far);
    const std::int64_t present = sets_.kernels().cost(of_near, of_far, hung, sets_.words());
    if (present == 0) return 0;
    if (walk_) walk_->start(tree, near, far);
    Cheapest best;
    descend(tree, near, of_far, hung, 0, best, random);
    descend(tree, far, of_near, hung, 0, best, random);
    if (best.at == none || best.cost >= present) return 0;
    prune(tree, joint);
    sets_.changed(tree, near);
    sets_.changed(tree, joint);
    const HalfEdge other = tree.back(best.at);
    regraft(tree, joint, best.at, start_length, start_length, start_length);
    for (const HalfEdge h : {best.at, other, joint}) sets_.changed(tree, h);
    return present - best.cost;
  }

 private:
  /// Offers the branches beyond h's node; `above` are the sets of everything on the other side of h's branch.
  void descend(const Tree& tree, HalfEdge h, const std::uint64_t* above, const std::uint64_t* hung, int depth,
               Cheapest& best, Random& random) {
    if (tree.is_tip(h) || depth == radius_ || (walk_ && !walk_->may_enter(tree, h))) return;
    std::uint64_t* const up = up_.data() + static_cast<std::size_t>(depth) * sets_.words();
    const HalfEdge sides[2] = {tree.next(h), tree.next(tree.next(h))};
    for (int i = 0; i < 2; ++i) {
      const HalfEdge below = tree.back(sides[i]), beside = tree.back(sides[1 - i]);
      sets_.kernels().join(above, sets_.of(tree, beside), up, sets_.words());
      best.offer(sets_.kernels().cost(up, sets_.of(tree, below), hung, sets_.words()), below, random);
      descend(tree, below, up, hung, depth + 1, best, random);
    }
  }

  StateSets& sets_;
  int radius_;
  std::vector<std::uint64_t> up_;
  std::optional<ConstrainedWalk> walk_;
};

Tree add_stepwise(const ParsimonySites& sites, StateSets& sets, Random& random, const Constraint* constraint) {
  const auto cheapest = [&](const Tree& tree, HalfEdge tip, const std::vector<HalfEdge>& open) {
    Cheapest best;
    for (const HalfEdge h : open) {
      const std::int64_t cost =
          sets.kernels().cost(sets.of(tree, h), sets.of(tree, tree.back(h)), sites.tip(tip), sets.words());
      best.offer(cost, h, random);
    }
    return best.at;
  };
  return grown(sites.taxa(), random, constraint, cheapest, [&](const Tree& tree, Node v) {
    for (HalfEdge side = tree.first(v); side < tree.first(v) + 3; ++side) sets.changed(tree, side);
  });
}

/// Rounds over all subtrees, in one random order, until a round brings nothing.
void rearrange(StateSets& sets, Tree& tree, Random& random, int radius, const Constraint* constraint) {
  Rearranger rearranger(sets, radius, constraint);
  std::vector<HalfEdge> joints(static_cast<std::size_t>(tree.half_edges() - tree.tips()));
  std::iota(joints.begin(), joints.end(), tree.tips());
  random.shuffle(joints);
  for (std::int64_t gain = 1; gain > 0;) {
    gain = 0;
    for (const HalfEdge joint : joints) gain += rearranger.improve(tree, joint, random);
  }
}

}  // namespace

ParsimonySites::ParsimonySites(const std::vector<const Patterns*>& parts) : taxa_(parts.front()->taxa) {
  std::vector<std::pair<const Patterns*, int>> kept;
  std::vector<std::uint32_t> column(static_cast<std::size_t>(taxa_));
  for (const Patterns* patterns : parts) {
    const Alphabet& alphabet = *patterns->alphabet;
    if (alphabet.states > planes_) planes_ = 20;
    for (int p = 0; p < patterns->count; ++p) {
      for (int t = 0; t < taxa_; ++t) column[static_cast<std::size_t>(t)] = alphabet.sets[patterns->row(t)[p]];
      const auto weight = static_cast<std::int64_t>(patterns->weights[static_cast<std::size_t>(p)]);
      if (const std::int64_t changes = changes_on_every_tree(column, alphabet.states); changes >= 0) {
        constant_score_ += changes * weight;
      } else {
        kept.emplace_back(patterns, p);
        columns_ += weight;
      }
    }
  }
  constexpr std::int64_t columns_per_block = 256;
  const auto blocks = static_cast<std::size_t>((columns_ + columns_per_block - 1) / columns_per_block);
  const std::size_t block_words = static_cast<std::size_t>(planes_) * fitch_plane_words;
  words_ = std::max<std::size_t>(blocks, 1) * block_words;
  // What is left over shares every state.
  sets_.assign(static_cast<std::size_t>(taxa_) * words_, ~std::uint64_t{0});
  for (int t = 0; t < taxa_; ++t) {
    std::uint64_t* row = sets_.data() + static_cast<std::size_t>(t) * words_;
    std::size_t at = 0;
    for (const auto& [patterns, p] : kept) {
      const std::uint32_t mask = patterns->alphabet->sets[patterns->row(t)[p]];
      for (std::uint32_t copy = 0; copy < patterns->weights[static_cast<std::size_t>(p)]; ++copy, ++at) {
        std::uint64_t* const block = row + at / columns_per_block * block_words + at / 64 % fitch_plane_words;
        for (std::size_t b = 0; b < static_cast<std::size_t>(planes_); ++b)
          if ((mask >> b & 1U) == 0) block[fitch_plane_words * b] &= ~(std::uint64_t{1} << (at % 64));
      }
    }
  }
}

std::int64_t parsimony_score(const ParsimonySites& sites, const Tree& tree) {
  const FitchKernels kernels = fitch_kernels(sites.planes());
  std::vector<std::uint64_t> sets(static_cast<std::size_t>(tree.nodes() - tree.tips()) * sites.words());
  auto of = [&](HalfEdge h) {
    return tree.is_tip(h) ? sites.tip(h)
                          : sets.data() + static_cast<std::size_t>(tree.node(h) - tree.tips()) * sites.words();
  };
  std::int64_t score = sites.constant_score();
  const HalfEdge root = tree.back(0);
  post_order(tree, root, [&](HalfEdge h) {
    const HalfEdge left = tree.back(tree.next(h)), right = tree.back(tree.next(tree.next(h)));
    score += kernels.join(of(left), of(right), const_cast<std::uint64_t*>(of(h)), sites.words());
  });
  std::vector<std::uint64_t> whole(sites.words());
  return score + kernels.join(of(root), sites.tip(0), whole.data(), sites.words());
}

Tree parsimony_start(const ParsimonySites& sites, Random& random, int radius, const Constraint* constraint) {
  StateSets sets(sites, Tree(sites.taxa()));
  Tree tree = add_stepwise(sites, sets, random, constraint);
  rearrange(sets, tree, random, radius, constraint);
  tree.for_each_branch([&](HalfEdge h) { tree.set_length(h, start_length); });
  return tree;
}

Tree parsimony_start(const Patterns& patterns, Random& random, int radius) {
  return parsimony_start(ParsimonySites(patterns), random, radius);
}

Tree parsimony_improved(const ParsimonySites& sites, Tree tree, Random& random, int radius,
                        const Constraint* constraint) {
  StateSets sets(sites, tree);
  rearrange(sets, tree, random, radius, constraint);
  return tree;
}

}  // namespace phylo
