#include "phylo/run/chain_results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "phylo/model/notation.hpp"

namespace phylo {

using nlohmann::json;

namespace {

/// Of each run, while chains go on. Effective sample sizes of very many take longer than the chains.
constexpr std::size_t most_looked_at = 5000;

double share(std::int64_t accepted, std::int64_t tried) {
  return tried > 0 ? static_cast<double>(accepted) / static_cast<double>(tried) : -1;
}

json or_null(double share) { return share < 0 ? json() : json(share); }

/// Calls `visit(move)` for the moves that are made.
template <class Visit>
void for_each_move(const GridSetup& setup, Visit&& visit) {
  for (std::size_t m = 0; m < moves; ++m)
    if (setup.chain.weights[m] > 0) visit(static_cast<Move>(m));
}

/// Calls `visit(lower, higher, pair)` for the pairs of heats, numbered from 0.
template <class Visit>
void for_each_pair(const GridSetup& setup, Visit&& visit) {
  for (int low = 0; low < setup.chains; ++low)
    for (int high = low + 1; high < setup.chains; ++high)
      visit(low, high, static_cast<std::size_t>(low * setup.chains + high));
}

json splits_to_json(const ChainFacts& facts) {
  const std::vector<RunSamples>& runs = *facts.runs;
  SplitCounts together(facts.patterns->taxa);
  for (const RunSamples& run : runs) together.add(run.splits);
  std::vector<std::pair<std::int32_t, const Split*>> order;
  for (const auto& [split, entry] : together.entries()) order.emplace_back(entry.trees, &split);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  json out = json::array();
  for (const auto& [trees, split] : order) {
    const double mean = static_cast<double>(trees) / together.trees();
    json taxa = json::array(), shares = json::array();
    for (std::int32_t tip = 0; tip < facts.patterns->taxa; ++tip)
      if (holds(*split, tip)) taxa.push_back(facts.patterns->names[static_cast<std::size_t>(tip)]);
    double largest = 0;
    for (const RunSamples& run : runs) {
      const double of_run = static_cast<double>(run.splits.count(*split)) / run.splits.trees();
      largest = std::max(largest, of_run);
      shares.push_back(of_run);
    }
    if (largest < least_split_share) continue;
    out.push_back({{"taxa", std::move(taxa)},
                   {"probability", mean},
                   {"runs", std::move(shares)},
                   {"length", together.entries().at(*split).length / trees}});
  }
  return out;
}

std::string counted(int count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

/// `step` 2: of every second sample.
std::vector<Summary> summaries_of(const std::vector<RunSamples>& runs, const std::vector<std::string>& columns,
                                  std::size_t step = 1) {
  std::vector<Summary> out;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    std::vector<std::vector<double>> values;
    for (const RunSamples& run : runs) {
      const std::vector<double> all = run.column(column);
      values.emplace_back();
      for (std::size_t i = 0; i < all.size(); i += step) values.back().push_back(all[i]);
    }
    out.push_back(summarize(values));
  }
  return out;
}

}  // namespace

std::string described(const Model& model) {
  const std::vector<std::string> sampled = words_of(Sampled(model));
  return fmt::format("{}; sampled: {}", to_string(model),
                     sampled.empty() ? "nothing of it" : fmt::format("{}", fmt::join(sampled, ", ")));
}

json to_json(const ChainFacts& facts) {
  json parameters = json::array();
  const std::vector<Summary> summaries = summaries_of(*facts.runs, *facts.columns);
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const Summary& s = summaries[i];
    parameters.push_back({{"name", (*facts.columns)[i]},
                          {"mean", s.mean},
                          {"variance", s.variance},
                          {"median", s.median},
                          {"low", s.low},
                          {"high", s.high},
                          {"least_ess", s.least_ess ? json(*s.least_ess) : json()},
                          {"ess", s.total_ess ? json(*s.total_ess) : json()},
                          {"psrf", facts.runs->size() > 1 ? json(s.scale_reduction) : json()}});
  }
  json runs = json::array();
  for (int run = 0; run < facts.setup->runs; ++run) {
    json tried = json::object(), swaps = json::array();
    for_each_move(*facts.setup, [&](Move move) {
      const MoveRecord& record = facts.grid->records(run)[static_cast<std::size_t>(move)];
      tried[name_of(move)] = {{"tried", record.tried},
                              {"accepted", or_null(share(record.accepted, record.tried))},
                              {"boldness", record.boldness},
                              {"weight", record.weight}};
    });
    for_each_pair(*facts.setup, [&](int low, int high, std::size_t pair) {
      const std::int64_t swaps_tried = facts.grid->swaps_tried(run)[pair];
      swaps.push_back({{"heats", {low + 1, high + 1}},
                       {"tried", swaps_tried},
                       {"accepted", or_null(share(facts.grid->swaps_accepted(run)[pair], swaps_tried))}});
    });
    runs.push_back({{"moves", std::move(tried)}, {"swaps", std::move(swaps)}});
  }
  json files = json::object();
  for (const WrittenFile& file : facts.files) files[file.what] = file.path;
  const RunSamples& first = facts.runs->front();
  const Computed computed = facts.grid->computed();
  json precision_check;
  if (const auto& check = facts.precision_check)
    precision_check = {{"times", check->times}, {"largest_error", check->largest_error}};
  return {{"command", "mcmc"},
          {"alignment",
           {{"file", facts.alignment->file},
            {"data", facts.alignment->alphabet->word},
            {"taxa", facts.alignment->taxa()},
            {"sites", facts.alignment->sites()},
            {"patterns", facts.patterns->count}}},
          {"options", facts.options},
          {"sampled", words_of(Sampled(facts.setup->chain.model))},
          {"instructions", facts.instructions},
          {"generations", {{"total", facts.generations}, {"restored", facts.restored}, {"burnin", facts.burnin}}},
          {"computed", {{"likelihoods", computed.likelihoods}, {"vectors", computed.vectors}}},
          {"precision_check", std::move(precision_check)},
          {"samples", first.all.size() - first.burnt},
          {"converged", facts.converged},
          {"asdsf", facts.deviation ? json(facts.deviation->average) : json()},
          {"largest_split_deviation", facts.deviation ? json(facts.deviation->largest) : json()},
          {"parameters", std::move(parameters)},
          {"splits", splits_to_json(facts)},
          {"runs", std::move(runs)},
          {"workers", facts.workers},
          {"ranks", facts.ranks},
          {"segments", facts.segments},
          {"seconds", facts.seconds},
          {"files", std::move(files)}};
}

std::string summarize(const ChainFacts& facts) {
  const RunSamples& first = facts.runs->front();
  std::string out =
      fmt::format("{}: {}, {} taxa, {} sites, {} patterns\n", facts.alignment->file, facts.alignment->alphabet->name,
                  facts.alignment->taxa(), facts.alignment->sites(), facts.patterns->count);
  out += fmt::format("Model {}\n", described(facts.setup->chain.model));
  out += fmt::format("{} of {}, {} generations; {} samples of each after a burn-in of {} generations\n",
                     counted(facts.setup->runs, "run"), counted(facts.setup->chains, "chain"), facts.generations,
                     first.all.size() - first.burnt, facts.burnin);
  if (facts.deviation)
    out += fmt::format(
        "Split frequencies differ between the runs by {:.4f} in the mean, by {:.4f} at most (standard deviations)\n",
        facts.deviation->average, facts.deviation->largest);
  if (const auto& check = facts.precision_check)
    out += fmt::format("Log-likelihoods in single precision were at most {:.2g} off those in double precision ({})\n",
                       check->largest_error, counted(check->times, "check"));
  const std::vector<Summary> summaries = summaries_of(*facts.runs, *facts.columns);
  std::size_t widest = 10;
  for (const std::string& column : *facts.columns) widest = std::max(widest, column.size());
  out +=
      fmt::format("\n{:<{}} {:>14} {:>14} {:>14} {:>8} {:>8}\n", "", widest, "mean", "95 % from", "to", "ESS", "PSRF");
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const Summary& s = summaries[i];
    out += fmt::format("{:<{}} {:>14.6g} {:>14.6g} {:>14.6g} {:>8} {:>8}\n", (*facts.columns)[i], widest, s.mean, s.low,
                       s.high, s.total_ess ? fmt::format("{:.0f}", *s.total_ess) : "-",
                       facts.runs->size() > 1 ? fmt::format("{:.3f}", s.scale_reduction) : "-");
  }
  out += "\nAccepted moves of the cold chains, by run:\n";
  for_each_move(*facts.setup, [&](Move move) {
    out += fmt::format("  {:<18}", name_of(move));
    for (int run = 0; run < facts.setup->runs; ++run) {
      const MoveRecord& record = facts.grid->records(run)[static_cast<std::size_t>(move)];
      out += fmt::format(" {:>6.1f} %", 100 * std::max(0.0, share(record.accepted, record.tried)));
    }
    out += '\n';
  });
  if (facts.setup->chains > 1) {
    out += "Accepted swaps of neighbouring heats, by run:\n";
    for_each_pair(*facts.setup, [&](int low, int high, std::size_t pair) {
      if (high != low + 1) return;
      out += fmt::format("  {:<18}", fmt::format("{} and {}", low + 1, high + 1));
      for (int run = 0; run < facts.setup->runs; ++run)
        out += fmt::format(" {:>6.1f} %", 100 * std::max(0.0, share(facts.grid->swaps_accepted(run)[pair],
                                                                    facts.grid->swaps_tried(run)[pair])));
      out += '\n';
    });
  }
  return out + '\n';
}

std::vector<std::string> chain_columns(const GridSetup& setup) {
  std::vector<std::string> columns;
  for (int run = 1; run <= setup.runs; ++run) {
    for_each_move(setup, [&](Move move) {
      columns.push_back(fmt::format("{}$acc_run{}", name_of(move), run));
      columns.push_back(fmt::format("{}$boldness_run{}", name_of(move), run));
    });
    for_each_pair(setup, [&](int low, int high, std::size_t) {
      columns.push_back(fmt::format("Swap({}<>{})$acc({})", low + 1, high + 1, run));
    });
  }
  if (setup.runs > 1) columns.emplace_back("AvgStdDev(s)");
  return columns;
}

McmcRow chain_row(const Grid& grid, const GridSetup& setup, const std::optional<SplitDeviation>& deviation) {
  McmcRow row{grid.generation(), {}};
  for (int run = 0; run < setup.runs; ++run) {
    for_each_move(setup, [&](Move move) {
      const MoveRecord& record = grid.records(run)[static_cast<std::size_t>(move)];
      row.values.push_back(share(record.accepted, record.tried));
      row.values.push_back(record.boldness);
    });
    for_each_pair(setup, [&](int, int, std::size_t pair) {
      row.values.push_back(share(grid.swaps_accepted(run)[pair], grid.swaps_tried(run)[pair]));
    });
  }
  if (setup.runs > 1) row.values.push_back(deviation ? deviation->average : -1);
  return row;
}

std::string trust_so_far(const Grid& grid, const GridSetup& setup, const std::vector<RunSamples>& runs,
                         const std::vector<std::string>& columns) {
  std::vector<std::string> known;
  if (const std::size_t samples = runs.front().all.size() - runs.front().burnt; samples >= 2) {
    const std::vector<Summary> summaries = summaries_of(runs, columns, 1 + samples / most_looked_at);
    const std::string *least_of = nullptr, *largest_of = nullptr;
    double least = 0, largest = 0;
    for (std::size_t i = 0; i < summaries.size(); ++i) {
      const Summary& s = summaries[i];
      if (s.total_ess && (!least_of || *s.total_ess < least)) {
        least = *s.total_ess;
        least_of = &columns[i];
      }
      if (!largest_of || s.scale_reduction > largest) {
        largest = s.scale_reduction;
        largest_of = &columns[i];
      }
    }
    if (least_of) known.push_back(fmt::format("least ESS {:.0f} ({})", least, *least_of));
    if (runs.size() > 1) known.push_back(fmt::format("largest PSRF {:.3f} ({})", largest, *largest_of));
  }
  double seldom = 1, often = 0;
  for (int run = 0; run < setup.runs; ++run)
    for_each_pair(setup, [&](int low, int high, std::size_t pair) {
      const double swapped = share(grid.swaps_accepted(run)[pair], grid.swaps_tried(run)[pair]);
      if (high != low + 1 || swapped < 0) return;
      seldom = std::min(seldom, swapped);
      often = std::max(often, swapped);
    });
  if (seldom <= often) known.push_back(fmt::format("swaps {:.0f} to {:.0f} %", 100 * seldom, 100 * often));
  return fmt::format("{}", fmt::join(known, ", "));
}

}  // namespace phylo
