#include "phylo/run/infer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "phylo/io/newick.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/run/bootstop.hpp"
#include "phylo/search/bootstrap.hpp"
#include "phylo/tree/unlinked.hpp"

namespace phylo {

namespace {

/// Thrown out of a running search when the run is asked to stop.
struct Abandoned {};

/// Replicates draw their start trees from other streams than searches, however many of these there are.
constexpr std::uint64_t first_replicate_stream = std::uint64_t{1} << 32;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A search that is under way, and what is kept of it.
class KeptSearch {
 public:
  /// Goes on where an earlier run has come to; `say` hears why not.
  KeptSearch(const InferenceJob& job, const Checkpoint& checkpoint, TreeId id, Monitor& monitor)
      : job_(job), checkpoint_(checkpoint), id_(id), written_(begin_) {
    if (!checkpoint.has_begun(id)) return;
    try {
      from_ = checkpoint.begun(id, *job.parts);
    } catch (const input_error& e) {
      monitor.say(e.what());
    }
  }

  const SearchState* from() const { return from_ ? &from_->state : nullptr; }
  double seconds() const { return seconds_since(begin_) + (from_ ? from_->seconds : 0); }

  /// Takes where the search is now, and writes it when the time has come.
  void keep(const SearchState& state) {
    latest_ = BegunSearch{state, seconds()};
    if (seconds_since(written_) >= job_.checkpoint_seconds) write();
  }
  /// Writes the latest that is not written.
  void write() {
    if (!latest_) return;
    checkpoint_.save_begun(id_, *latest_);
    latest_.reset();
    written_ = std::chrono::steady_clock::now();
  }

 private:
  const InferenceJob& job_;
  const Checkpoint& checkpoint_;
  TreeId id_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point written_;
  std::optional<BegunSearch> from_;
  std::optional<BegunSearch> latest_;
};

FinishedTree find_tree(const InferenceJob& job, TreeId id, KeptSearch& kept, const std::function<void()>& between,
                       const SearchProgress& progress) {
  SearchOptions options;
  options.seed = job.seed;
  options.index = static_cast<std::uint64_t>(id.index);
  options.unlinked = job.unlinked;
  options.constraint = job.constraint;
  options.memory = job.memory;
  options.from = kept.from();
  options.keep = [&](const SearchState& state) { kept.keep(state); };
  options.between = between;
  SearchResult found;
  if (id.purpose == Purpose::search) {
    options.start = job.starts[static_cast<std::size_t>(id.index)];
    options.effort = job.search_effort;
    found = search(*job.parts, options, progress);
  } else {
    const Parts drawn = bootstrap_parts(*job.parts, job.seed, static_cast<std::uint64_t>(id.index));
    options.index += first_replicate_stream;
    options.effort = job.replicate_effort;
    found = search(drawn, options, progress);
  }
  if (!std::isfinite(found.lnl))
    throw std::runtime_error(to_string(id) + " ended with a log-likelihood that is no number");
  const std::vector<std::string>& names = job.parts->front().patterns.names;
  FinishedTree out{id, found.lnl, {}, {}, to_string_with_values(*job.scheme, found.models), kept.seconds()};
  if (found.tree.lengths() == 1) {
    out.newick = to_newick(found.tree, names);
    return out;
  }
  out.newick = to_newick(mean_lengths(found.tree, sites_of(*job.parts)), names);
  for (std::size_t part = 0; id.purpose == Purpose::search && part < job.parts->size(); ++part)
    out.part_newicks.push_back(to_newick(lengths_of_part(found.tree, part), names));
  return out;
}

}  // namespace

const FinishedTree& Inference::best() const {
  return *std::max_element(searches.begin(), searches.end(),
                           [](const FinishedTree& a, const FinishedTree& b) { return a.lnl < b.lnl; });
}

Inference infer(const InferenceJob& job, Checkpoint& checkpoint) {
  // Searches first: the alignment has more patterns than its replicates, so they are the longest streams.
  std::vector<TreeId> all;
  const auto searches = static_cast<int>(job.starts.size());
  all.reserve(job.starts.size() + static_cast<std::size_t>(job.replicates));
  for (int i = 0; i < searches; ++i) all.push_back({Purpose::search, i});
  for (int i = 0; i < job.replicates; ++i) all.push_back({Purpose::bootstrap, i});
  Bootstop bootstop(job.replicates, job.cutoff, job.seed, job.parts->front().patterns.names);
  for (const TreeId id : all)
    if (const FinishedTree* tree = checkpoint.find(id)) bootstop.add(*tree);
  const auto forget_unwanted = [&](std::vector<TreeId>& ids) {
    std::erase_if(ids, [&](TreeId id) { return !bootstop.wants(id); });
  };
  forget_unwanted(all);
  std::vector<TreeId> pending;
  std::copy_if(all.begin(), all.end(), std::back_inserter(pending),
               [&](TreeId id) { return checkpoint.find(id) == nullptr; });

  Inference result;
  result.damaged = checkpoint.damaged();
  const auto total = static_cast<int>(all.size());
  const int restored = total - static_cast<int>(pending.size());
  const auto begin = std::chrono::steady_clock::now();
  if (!pending.empty()) {
    Monitor monitor(total, restored, trees_phase, job.quiet, "trees", "finished trees", job.log);
    for (const std::string& message : checkpoint.damaged()) monitor.say(message);
    const auto begun =
        std::count_if(pending.begin(), pending.end(), [&](TreeId id) { return checkpoint.has_begun(id); });
    if ((restored > 0 || begun > 0) && !job.quiet)
      monitor.say(fmt::format("{} of {} trees were finished before{}; going on", restored, total,
                              begun > 0 ? fmt::format(", {} begun", begun) : ""));
    std::atomic<bool> failed{false};
    maslin::phase(trees_phase, static_cast<std::int64_t>(pending.size()), [&](std::int64_t stream) {
      const TreeId id = pending[static_cast<std::size_t>(stream)];
      const auto is_over = [&] { return monitor.stopping() || failed || !bootstop.wants(id); };
      if (is_over()) return;
      KeptSearch kept(job, checkpoint, id, monitor);
      try {
        const auto go_on = [&] {
          if (is_over()) throw Abandoned();
        };
        const FinishedTree tree = find_tree(job, id, kept, go_on, [&](double lnl) { monitor.reached(id, lnl); });
        checkpoint.save(tree);
        monitor.finished(id, tree.lnl);
        if (bootstop.add(tree)) {
          monitor.set_total(searches + bootstop.wanted());
          if (!job.quiet) monitor.say(fmt::format("{} replicates are enough", bootstop.wanted()));
        }
      } catch (const Abandoned&) {
        if (monitor.stopping()) kept.write();
      } catch (...) {
        failed = true;  // the others need not go on: the run ends with this
        throw;
      }
    });
    forget_unwanted(all);
    forget_unwanted(pending);
    const auto done = std::count_if(all.begin(), all.end(), [&](TreeId id) { return checkpoint.find(id) != nullptr; });
    if (done < static_cast<std::ptrdiff_t>(all.size()))
      throw Stopped{monitor.signal(), static_cast<int>(done), static_cast<int>(all.size())};
    result.phase = maslin::report(trees_phase);
  }
  result.computed = std::move(pending);
  result.seconds = seconds_since(begin);
  result.agreement = bootstop.last();
  for (const TreeId id : all)
    (id.purpose == Purpose::search ? result.searches : result.replicates).push_back(*checkpoint.find(id));
  return result;
}

}  // namespace phylo
