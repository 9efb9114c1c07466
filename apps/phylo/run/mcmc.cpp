#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/shared/terminal.hpp"
#include "maslin/error.hpp"
#include "maslin/runtime.hpp"
#include "phylo/io/error.hpp"
#include "phylo/io/file.hpp"
#include "phylo/io/newick.hpp"
#include "phylo/io/text.hpp"
#include "phylo/run/chain_checkpoint.hpp"
#include "phylo/run/chain_files.hpp"
#include "phylo/run/chain_options.hpp"
#include "phylo/run/chain_ranks.hpp"
#include "phylo/run/chain_results.hpp"
#include "phylo/run/checkpoint.hpp"
#include "phylo/run/commands.hpp"
#include "phylo/run/infer.hpp"
#include "phylo/run/inputs.hpp"
#include "phylo/run/monitor.hpp"
#include "phylo/run/precision_check.hpp"
#include "phylo/run/prefix.hpp"

namespace phylo {

namespace {

/// Changes when chains give other samples than before.
constexpr int mcmc_version = 2;
/// Of each run; of fewer the split frequencies may be equal by chance.
constexpr int fewest_samples_to_stop = 100;
/// Of each run; files of so many are replaced at every checkpoint.
constexpr std::size_t few_samples = 1000;

/// The chains, with what they have sampled.
class Sampling {
 public:
  Sampling(const McmcCommand& command, const ChainOptions& options, const Patterns& patterns,
           ChainCheckpoint& checkpoint, const ChainFiles& files)
      : command_(command), options_(options), patterns_(patterns), checkpoint_(checkpoint), files_(files) {
    runs_.assign(static_cast<std::size_t>(options.grid.runs), RunSamples(patterns.taxa));
    std::optional<ChainProgress> kept = checkpoint.load();
    if (!kept) {
      begin_others();
      grid_.emplace(options.grid);
      take_samples();
      return;
    }
    restored_ = kept->grid.generation;
    if (restored_ > options.generations)
      throw input_error(
          fmt::format("the chains have made {} generations already, more than the {} that are asked for; give "
                      "--generations {}, choose another --prefix, or start afresh with --redo",
                      restored_, options.generations, restored_));
    rows_ = std::move(kept->rows);
    restore_samples(kept->samples);
    const Model model = starting_model(options.grid.chain.model, options.grid.chain.priors);
    for (RunState& run : kept->grid.runs) {
      for (const Tuning& tuning : run.tunings)
        for (std::size_t m = 0; m < moves; ++m)
          if ((tuning.moves[m].weight > 0) != (options.grid.chain.weights[m] > 0))
            throw input_error("the chains that were kept make other moves; start afresh with --redo");
      for (ChainState& chain : run.chains) {
        if (chain.model.rates.size() != model.rates.size() ||
            chain.model.frequencies.size() != model.frequencies.size())
          throw input_error("the chains that were kept have another model; start afresh with --redo");
        Model whole = model;
        whole.rates = chain.model.rates;
        whole.frequencies = chain.model.frequencies;
        whole.alpha = chain.model.alpha;
        whole.invariant = chain.model.invariant;
        chain.model = whole;
      }
    }
    begin_others();
    grid_.emplace(options.grid, std::move(kept->grid));
  }

  /// Makes the generations that are left. Throws `Stopped` when a signal has come, after a checkpoint.
  void run(Log& log) {
    Monitor monitor(static_cast<int>(options_.generations), static_cast<int>(restored_), chains_phase, command_.quiet,
                    "generations", "finished generations", &log);
    if (restored_ > 0 && !command_.quiet)
      monitor.say(fmt::format("{} of {} generations were finished before; going on", restored_, options_.generations));
    const auto next = [&](int every) { return (grid_->generation() / every + 1) * every; };
    while (grid_->generation() < options_.generations && !reached_goal()) {
      const std::int64_t to = std::min(
          {options_.generations, next(command_.sample), next(command_.diagnostics), next(command_.checkpoint)});
      grid_->advance(to, [&] { return monitor.stopping(); });
      const bool whole = grid_->generation() == to;
      if (whole && to % command_.sample == 0) take_samples();
      if (whole && to % command_.diagnostics == 0) {
        rows_.push_back(chain_row(*grid_, options_.grid, deviation()));
        std::string line = fmt::format("generation {}: log-likelihood {:.4f}", to, best_lnl());
        for (const std::string& more : {note(), trust_so_far(*grid_, options_.grid, runs_, files_.columns())})
          if (!more.empty()) line += ", " + more;
        log.add(line);
        check_precision();
      }
      const bool stops = monitor.stopping();
      if (stops || (whole && to % command_.checkpoint == 0)) save(stops);
      if (stops)
        throw Stopped{monitor.signal(), static_cast<int>(grid_->generation()), static_cast<int>(options_.generations),
                      "generations"};
      monitor.advanced(static_cast<int>(to), best_lnl(), note());
    }
    // At a row it was checked, unless an earlier process made the row.
    if (!precision_check_ || grid_->generation() % command_.diagnostics != 0) check_precision();
    save(true);
  }

  /// Gives what the comparisons with double precision have found; nothing if there were none.
  const std::optional<PrecisionCheck>& precision_check() const { return precision_check_; }

  /// Gives the deviation of the latest row; nothing before there are trees after the burn-in, or where no split is
  /// common.
  std::optional<SplitDeviation> deviation() const {
    if (runs_.size() < 2) return std::nullopt;
    std::vector<SplitCounts> splits;
    for (const RunSamples& run : runs_) {
      if (run.splits.trees() == 0) return std::nullopt;
      splits.push_back(run.splits);
    }
    return split_deviation(splits);
  }

  /// Whether --stop-at has been reached at the latest row, with enough samples to tell.
  bool reached_goal() const {
    if (!options_.stop_at || rows_.empty() || runs_.front().splits.trees() < fewest_samples_to_stop) return false;
    const double latest = rows_.back().values.back();
    return latest >= 0 && latest <= *options_.stop_at;
  }

  const Grid& grid() const { return *grid_; }
  const std::vector<RunSamples>& runs() const { return runs_; }
  std::int64_t restored() const { return restored_; }

 private:
  /// From here on what goes wrong ends the other ranks, too.
  void begin_others() {
    if (!options_.grid.ranks) return;
    options_.grid.ranks->begin();
    options_.grid.ranks->divide(options_.segments);
    share_patterns(*options_.grid.ranks, patterns_);
  }

  void take_samples() {
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      const ChainState& cold = grid_->cold(static_cast<int>(run));
      runs_[run].add(sample_of(cold, options_.grid.chain.model, grid_->generation()), cold.tree, options_.burnin);
    }
  }

  void restore_samples(std::vector<std::vector<Sample>>& samples) {
    std::vector<std::string> numbers;
    for (int taxon = 1; taxon <= patterns_.taxa; ++taxon) numbers.push_back(std::to_string(taxon));
    for (std::size_t run = 0; run < runs_.size(); ++run)
      for (Sample& sample : samples[run]) {
        const Tree tree =
            to_tree(parse_newick(sample.tree, "a sampled tree"), 0, numbers, "the alignment", Lengths::required);
        runs_[run].add(std::move(sample), tree, options_.burnin);
      }
    saved_samples_ = runs_.front().all.size();
  }

  /// Where chains have single precision, compares them with double precision. Throws `input_error` where they part.
  void check_precision() {
    const ChainSetup& chain = options_.grid.chain;
    if (chain.precision == Precision::binary64 || !chain.with_data) return;
    if (!precision_check_) precision_check_.emplace();
    precision_check_->add(grid_->generation(), grid_->largest_error());
  }

  /// Makes a checkpoint, and brings the files of samples up to date: at the end always, before where that pays.
  void save(bool ends) {
    if (saved_at_ != grid_->generation()) {
      checkpoint_.save(grid_->state(), runs_, saved_samples_, rows_);
      saved_samples_ = runs_.front().all.size();
      saved_at_ = grid_->generation();
    }
    // Large files wait until a tenth is new: so all that is written is about ten times what there is in the end.
    const bool waits = saved_samples_ > few_samples && 10 * saved_samples_ < 11 * written_samples_;
    if (written_at_ == grid_->generation() || (waits && !ends)) return;
    files_.write(runs_, rows_, file_id(checkpoint_.number()));
    written_samples_ = saved_samples_;
    written_at_ = grid_->generation();
  }

  double best_lnl() const {
    double best = grid_->cold(0).lnl;
    for (int run = 1; run < options_.grid.runs; ++run) best = std::max(best, grid_->cold(run).lnl);
    return best;
  }

  std::string note() const {
    if (options_.grid.runs < 2 || rows_.empty() || rows_.back().values.back() < 0) return {};
    return fmt::format("asdsf {:.4f}", rows_.back().values.back());
  }

  const McmcCommand& command_;
  const ChainOptions& options_;
  const Patterns& patterns_;
  ChainCheckpoint& checkpoint_;
  const ChainFiles& files_;
  std::vector<RunSamples> runs_;
  std::vector<McmcRow> rows_;
  std::int64_t restored_ = 0;
  std::int64_t saved_at_ = -1;     ///< the generation of this process's latest checkpoint
  std::size_t saved_samples_ = 0;  ///< of each run, that the checkpoint has
  std::int64_t written_at_ = -1;   ///< the same of the files of samples
  std::size_t written_samples_ = 0;
  std::optional<PrecisionCheck> precision_check_;
  std::optional<Grid> grid_;
};

/// Gives the chains their data: the patterns, or this rank's segment of them.
void give_data(const Patterns& patterns, ChainOptions& options) {
  ChainSetup& chain = options.grid.chain;
  chain.patterns = &patterns;
  if (options.segments > 1) chain.segment = segment_of(*options.grid.ranks, options.segments, patterns, chain.model);
}

maslin::Runtime workers_of(const McmcCommand& command) {
  try {
    return maslin::Runtime({.workers = command.threads});
  } catch (const maslin::error&) {
    if (!command.ranks || command.threads == 0) throw;
    throw input_error(
        fmt::format("--threads {0}: a process of maslin-mpirun has its workers already; leave it out, and set "
                    "MASLIN_WORKERS={0}",
                    command.threads));
  }
}

/// What another rank than 0 does.
void follow(const McmcCommand& command, const Model& model, ChainOptions& options) {
  Ranks& ranks = *command.ranks;
  ranks.divide(options.segments);
  const Patterns patterns = shared_patterns(ranks, *model.alphabet);
  give_data(patterns, options);
  const maslin::Runtime runtime = workers_of(command);
  Grid(options.grid).follow();
}

}  // namespace

void run(const McmcCommand& command) {
  if (command.ranks && command.ranks->size() > 1 && command.model.file == "-")
    throw input_error(
        "--model-file -: each rank reads the model, and one of them only has the standard input; give a file");
  const Scheme scheme = read_scheme(command.model);
  if (scheme.parts.size() > 1)
    fail(scheme.source, scheme.parts[1].ranges.front().at,
         fmt::format("this is the second of {} partitions; mcmc takes one model for all sites, so give one",
                     scheme.parts.size()));
  Model model = scheme.parts.front().model;
  // What others count is sampled, as frequencies are.
  if (model.invariant_from == Origin::empirical) model.invariant_from = Origin::optimized;
  ChainOptions options = read_options(command, model);
  if (command.ranks && command.ranks->rank() > 0) return follow(command, model, options);
  Data data = read_data(command.msa, command.data_type, command.model, "linked", command.quiet);
  if (model.frequencies_from == Origin::empirical && Sampled(model).frequencies) {
    data.notes.emplace_back(
        "other commands count the frequencies of +F in the alignment, mcmc samples them (--prior-frequencies); fixed "
        "ones are given as +FU{...}");
    if (!command.quiet)
      command::tell(fmt::format("maslin-phylo: note: {}: {}\n", shown_path(scheme.source), data.notes.back()));
  }
  const Alignment& alignment = data.alignment;
  const Patterns& patterns = data.parts.front().patterns;
  give_data(patterns, options);
  const std::string instructions = instruction_set();
  const Prefix prefix(command.prefix);

  const StopSignals stop_signals(command.ranks != nullptr);
  const maslin::Runtime runtime = workers_of(command);

  prefix.prepare();
  const ChainFiles files(prefix, alignment, options.grid);
  std::vector<std::string> results = {prefix.file("con.tre"), prefix.file("log"), prefix.file("result.json")};
  for (const WrittenFile& file : files.all()) results.push_back(file.path);
  for (const std::string& result : results) check_replaceable(result);  // found out now and not after the run

  ChainIdentity identity;
  identity.alignment = alignment_digest(alignment);
  identity.alignment_file = alignment.file;
  identity.taxa = alignment.taxa();
  identity.sites = alignment.sites();
  identity.instructions = instructions;
  identity.program = std::to_string(mcmc_version);
  identity.options = identity_of(command, options);
  ChainCheckpoint checkpoint(prefix.file("chains"), identity, command.redo, results);

  const auto begin = std::chrono::steady_clock::now();
  Sampling sampling(command, options, patterns, checkpoint, files);
  Log log(prefix.file("log"), command.line);
  log.add(described(data, command.seed, instructions) + "\n" + described(model));
  if (command.ranks)
    log.add(fmt::format("{} ranks: groups of chains x segments of the alignment are {} x {}", command.ranks->size(),
                        command.ranks->groups(), command.ranks->segments()));
  logged(log, [&] { sampling.run(log); });

  const std::vector<RunSamples>& runs = sampling.runs();
  if (runs.front().splits.trees() < 1)
    throw input_error(
        fmt::format("the runs ended at generation {}, before the first sample after the burn-in of {}; give a smaller "
                    "--burnin",
                    sampling.grid().generation(), options.burnin));
  ChainFacts facts;
  facts.alignment = &alignment;
  facts.patterns = &patterns;
  facts.grid = &sampling.grid();
  facts.setup = &options.grid;
  facts.runs = &runs;
  facts.columns = &files.columns();
  facts.options = identity.options;
  facts.generations = sampling.grid().generation();
  facts.restored = sampling.restored();
  facts.burnin = options.burnin;
  facts.deviation = sampling.deviation();
  facts.converged = sampling.reached_goal();
  facts.precision_check = sampling.precision_check();
  facts.instructions = instructions;
  facts.workers = maslin::workers();
  if (command.ranks) {
    facts.ranks = command.ranks->size();
    facts.segments = command.ranks->segments();
  }
  facts.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  facts.files = files.all();
  facts.files.push_back({"consensus", prefix.file("con.tre")});
  write_file(prefix.file("con.tre"), consensus_file(runs, alignment.names, file_id(checkpoint.number())));
  facts.files.push_back({"log", log.path()});
  facts.files.push_back({"result", prefix.file("result.json")});
  const std::string result = dump(to_json(facts));
  write_file(prefix.file("result.json"), result);

  log.add("finished\n" + summarize(facts));

  if (command.json) {
    write_standard_output(result);
    return;
  }
  std::string out = summarize(facts) + "Written:\n";
  for (const WrittenFile& file : facts.files) out += "  " + file.path + "\n";
  write_standard_output(out);
}

}  // namespace phylo
