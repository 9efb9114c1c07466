#include "phylo/run/infer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
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

FinishedTree find_tree(const InferenceJob& job, TreeId id, const SearchProgress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  SearchOptions options;
  options.seed = job.seed;
  options.index = static_cast<std::uint64_t>(id.index);
  options.unlinked = job.unlinked;
  options.constraint = job.constraint;
  options.memory = job.memory;
  SearchResult found;
  if (id.purpose == Purpose::search) {
    options.start = job.starts[static_cast<std::size_t>(id.index)];
    found = search(*job.parts, options, progress);
  } else {
    const Parts drawn = bootstrap_parts(*job.parts, job.seed, static_cast<std::uint64_t>(id.index));
    options.index += first_replicate_stream;
    found = search(drawn, options, progress);
  }
  if (!std::isfinite(found.lnl))
    throw std::runtime_error(to_string(id) + " ended with a log-likelihood that is no number");
  const std::vector<std::string>& names = job.parts->front().patterns.names;
  FinishedTree out{id, found.lnl, {}, {}, to_string_with_values(*job.scheme, found.models), seconds_since(begin)};
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
    if (restored > 0 && !job.quiet)
      monitor.say(fmt::format("{} of {} trees were finished before; going on", restored, total));
    std::atomic<bool> failed{false};
    maslin::phase(trees_phase, static_cast<std::int64_t>(pending.size()), [&](std::int64_t stream) {
      const TreeId id = pending[static_cast<std::size_t>(stream)];
      const auto is_over = [&] { return monitor.stopping() || failed || !bootstop.wants(id); };
      if (is_over()) return;
      try {
        const FinishedTree tree = find_tree(job, id, [&](double lnl) {
          if (is_over()) throw Abandoned();
          monitor.reached(id, lnl);
        });
        checkpoint.save(tree);
        monitor.finished(id, tree.lnl);
        if (bootstop.add(tree)) {
          monitor.set_total(searches + bootstop.wanted());
          if (!job.quiet) monitor.say(fmt::format("{} replicates are enough", bootstop.wanted()));
        }
      } catch (const Abandoned&) {
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
