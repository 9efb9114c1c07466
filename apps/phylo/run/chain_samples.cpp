#include "phylo/run/chain_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "phylo/io/newick.hpp"
#include "phylo/tree/consensus.hpp"

namespace phylo {
namespace {

std::vector<std::string> numbers_of(std::int32_t taxa) {
  std::vector<std::string> numbers;
  for (std::int32_t i = 1; i <= taxa; ++i) numbers.push_back(std::to_string(i));
  return numbers;
}

/// Gives a taxon as NEXUS wants it: in quotes where it holds more than letters, digits, points and underscores.
std::string nexus_label(const std::string& name) {
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '.';
  });
  if (plain) return name;
  std::string out = "'";
  for (const char c : name) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

std::string translation(const std::vector<std::string>& names, const char* form) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += fmt::format(fmt::runtime(form), i + 1, nexus_label(names[i])) + (i + 1 < names.size() ? ",\n" : "");
  return out;
}

/// What a branch of the consensus has been in the runs.
struct Probability {
  double mean = 1, deviation = 0, least = 1, most = 1;
};

Probability probability_of(const std::vector<RunSamples>& runs, const Split& split) {
  Probability p;
  double sum = 0, squares = 0;
  std::int64_t found = 0, all = 0;
  p.least = 1;
  p.most = 0;
  for (const RunSamples& run : runs) {
    const double share = static_cast<double>(run.splits.count(split)) / run.splits.trees();
    found += run.splits.count(split);
    all += run.splits.trees();
    sum += share;
    squares += share * share;
    p.least = std::min(p.least, share);
    p.most = std::max(p.most, share);
  }
  const auto n = static_cast<double>(runs.size());
  p.mean = static_cast<double>(found) / static_cast<double>(all);
  if (runs.size() > 1) p.deviation = std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1)));
  return p;
}

std::string annotated(const Probability& p, double length) {
  const auto per_cent_of = [](double share) { return std::lround(100 * share); };
  return fmt::format(
      "[&prob={:.8e},prob_stddev={:.8e},prob_range={{{:.8e},{:.8e}}},prob(percent)=\"{}\",prob+-sd=\"{}+-{}\"]"
      ":{:.6e}[&length_mean={:.8e}]",
      p.mean, p.deviation, p.least, p.most, per_cent_of(p.mean), per_cent_of(p.mean), per_cent_of(p.deviation), length,
      length);
}

}  // namespace

std::vector<std::string> columns_of(const Model& model) {
  const Sampled sampled(model);
  std::vector<std::string> columns = {"LnL", "LnPr", "TL"};
  if (sampled.kappa) columns.emplace_back("kappa");
  if (sampled.rates > 0) {
    constexpr std::array<const char*, 6> pairs = {"A<->C", "A<->G", "A<->T", "C<->G", "C<->T", "G<->T"};
    std::vector<std::string> tied(sampled.rates);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      std::string& one = tied[static_cast<std::size_t>(model.ties[i] - '0')];
      if (!one.empty()) one += ',';
      one += pairs[i];
    }
    for (const std::string& one : tied) columns.push_back(fmt::format("r({})", one));
  }
  if (sampled.frequencies)
    for (const char state : model.alphabet->symbols) columns.push_back(fmt::format("pi({})", state));
  if (sampled.shape) columns.emplace_back("alpha");
  if (sampled.invariant) columns.emplace_back("pinvar");
  return columns;
}

Sample sample_of(const ChainState& state, const Model& asked_for, std::int64_t generation) {
  const Sampled sampled(asked_for);
  double length = 0;
  state.tree.for_each_branch([&](HalfEdge h) { length += state.tree.length(h); });
  Sample sample{generation, {state.lnl, state.log_prior, length}, {}};
  const auto add = [&](const auto& values) { sample.values.insert(sample.values.end(), values.begin(), values.end()); };
  if (sampled.kappa) sample.values.push_back(kappa_of(state.model));
  if (sampled.rates > 0) {
    const DistinctRates rates(state.model);
    sample.values.insert(sample.values.end(), rates.values.data(), rates.values.data() + rates.count);
  }
  if (sampled.frequencies) add(state.model.frequencies);
  if (sampled.shape) sample.values.push_back(state.model.alpha);
  if (sampled.invariant) sample.values.push_back(state.model.invariant);
  sample.tree = to_newick(state.tree, numbers_of(state.tree.tips()));
  return sample;
}

void RunSamples::add(Sample sample, const Tree& tree, std::int64_t burnin) {
  if (sample.generation <= burnin)
    ++burnt;
  else
    splits.add(tree);
  all.push_back(std::move(sample));
}

std::vector<double> RunSamples::column(std::size_t number) const {
  std::vector<double> values;
  for (std::size_t i = burnt; i < all.size(); ++i) values.push_back(all[i].values[number]);
  return values;
}

std::string file_id(std::uint64_t identity) { return fmt::format("[ID: {:010}]\n", identity % 10000000000U); }

std::string parameter_file(const RunSamples& run, const std::vector<std::string>& columns, const std::string& id) {
  std::string out = id + "Gen";
  for (const std::string& column : columns) out += "\t" + column;
  out += '\n';
  for (const Sample& sample : run.all) {
    out += std::to_string(sample.generation);
    for (const double value : sample.values) out += fmt::format("\t{:.8e}", value);
    out += '\n';
  }
  return out;
}

std::string tree_file(const RunSamples& run, const std::vector<std::string>& names, const std::string& id) {
  std::string out =
      "#NEXUS\n" + id + "[Param: tree]\nbegin trees;\n   translate\n" + translation(names, "      {:>2} {}") + ";\n";
  for (const Sample& sample : run.all) out += fmt::format("   tree gen.{} = [&U] {}\n", sample.generation, sample.tree);
  return out + "end;\n";
}

std::string chain_file(const std::vector<McmcRow>& rows, const std::vector<std::string>& columns,
                       const std::string& id) {
  std::string out =
      id +
      "[   Gen                --  Generation]\n"
      "[   <name1>(<name2>)$acc_run2      --  Acceptance rate of move <name1> changing parameter 1 in run 2]\n"
      "[   Swap(1<>2)$acc(3)              --  Acceptance rate of swaps between chains 1 and 2 in run 3]\n"
      "[   AvgStdDev(s)                   --  Average standard deviation of split frequencies]\nGen";
  for (const std::string& column : columns) out += "\t" + column;
  out += '\n';
  for (const McmcRow& row : rows) {
    out += std::to_string(row.generation);
    for (const double value : row.values) out += value < 0 ? "\tNA" : fmt::format("\t{:.6f}", value);
    out += '\n';
  }
  return out;
}

std::string consensus_file(const std::vector<RunSamples>& runs, const std::vector<std::string>& names,
                           const std::string& id) {
  const auto taxa = static_cast<std::int32_t>(names.size());
  SplitCounts together(taxa);
  for (const RunSamples& run : runs) together.add(run.splits);
  const Multifurcation tree = consensus(together);

  // What each node has below, children first.
  std::vector<Split> below(tree.nodes.size(), Split((names.size() + 63) / 64, 0));
  std::vector<std::string> text(tree.nodes.size());
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const Multifurcation::Node& node = tree.nodes[i];
    if (node.tip >= 0) {
      below[i][static_cast<std::size_t>(node.tip) / 64] |= std::uint64_t{1} << (node.tip % 64);
      text[i] = std::to_string(node.tip + 1);
    } else {
      for (const std::int32_t child : node.children) {
        text[i] += (text[i].empty() ? "(" : ",") + text[static_cast<std::size_t>(child)];
        text[static_cast<std::size_t>(child)].clear();
        for (std::size_t w = 0; w < below[i].size(); ++w) below[i][w] |= below[static_cast<std::size_t>(child)][w];
      }
      text[i] += ')';
    }
    if (node.parent < 0) continue;
    text[i] += annotated(node.tip >= 0 ? Probability() : probability_of(runs, below[i]), node.length);
  }
  std::string out = "#NEXUS\n" + id + fmt::format("begin taxa;\n\tdimensions ntax={};\n\ttaxlabels\n", taxa);
  for (const std::string& name : names) out += "\t\t" + nexus_label(name) + "\n";
  out += "\t\t;\nend;\nbegin trees;\n\ttranslate\n" + translation(names, "\t\t{}\t{}") + "\n\t\t;\n";
  return out + "   tree con_50_majrule = [&U] " + text[0] + ";\nend;\n";
}

}  // namespace phylo
