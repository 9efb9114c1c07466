#include "sweep/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sweep {

namespace {

double median_seconds(const solution& found) {
  std::vector<double> all;
  for (const iteration& one : found.iterations) all.push_back(one.seconds);
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

/// Gives the time to update a cell in one angle, of the iteration in the middle.
double grind_ns(const report& of) {
  return median_seconds(of.found) / (static_cast<double>(of.of.cells()) * 8 * of.of.with.angles) * 1e9;
}

std::string name_of_fixups(int fixups) {
  return fixups > 0    ? "fixups always"
         : fixups == 0 ? "no fixups"
                       : fmt::format("fixups after {} {}", -fixups, fixups == -1 ? "iteration" : "iterations");
}

bool is_cut(const report& of) { return of.form != "serial"; }

}  // namespace

std::string to_text(const report& of) {
  const deck& d = of.of.with;
  std::string out = fmt::format("{} x {} x {} cells, S{}, P{}, {} angles an octant, {}, {}\n", d.cells[0], d.cells[1],
                                d.cells[2], d.angles == 3 ? 4 : 6, d.order, d.angles, name_of_fixups(d.fixups),
                                d.currents ? "currents" : "no currents");
  if (is_cut(of))
    out +=
        fmt::format("{}: {} x {} ranks on {} {}, {} blocks of {} planes and {} angles\n", of.form, d.ranks_i, d.ranks_j,
                    of.workers, of.workers == 1 ? "worker" : "workers", d.blocks(), d.planes, d.block_angles);
  else
    out += "serial\n";
  int number = 0;
  out += "iteration  error                   fixups     seconds\n";
  for (const iteration& one : of.found.iterations)
    out += fmt::format("{:9}  {:<22.16g}  {:<9}  {:.4f}\n", ++number, one.error, one.fixups, one.seconds);
  const balance b = balance_of(of.of, of.found);
  out += fmt::format("external source  {:.16g}\nabsorption       {:.16g}\n", b.source, b.absorption);
  for (std::size_t n = 0; n < 3; ++n)
    out += fmt::format("leakage in {}     {:.16g} {:.16g}\n", "ijk"[n], b.leakage[2 * n], b.leakage[2 * n + 1]);
  if (d.currents) out += fmt::format("imbalance of a cell: at most {:.1e} of the largest source\n", of.found.imbalance);
  if (of.found.staged_bytes > 0) out += fmt::format("staged: {:.1f} MB an iteration\n", of.found.staged_bytes / 1e6);
  out += fmt::format("an iteration takes {:.4f} s, a cell and angle {:.2f} ns (median)\n", median_seconds(of.found),
                     grind_ns(of));
  out += fmt::format("checksum {:016x}\n", checksum_of(of.found));
  if (of.with_reference)
    out += of.with_reference->holds()
               ? std::string("the same as serially, to the last bit\n")
               : fmt::format("not as serially: {} {}, by {:.1e} at most\n", of.with_reference->different,
                             of.with_reference->different == 1 ? "flux differs" : "fluxes differ",
                             of.with_reference->error);
  return out;
}

std::string to_json(const report& of) {
  const deck& d = of.of.with;
  const balance b = balance_of(of.of, of.found);
  nlohmann::ordered_json out = {{"form", of.form}, {"cells", d.cells}};
  if (is_cut(of))
    out.update({{"ranks", {d.ranks_i, d.ranks_j}},
                {"workers", of.workers},
                {"blocks", d.blocks()},
                {"planes", d.planes},
                {"block_angles", d.block_angles}});
  out["angles"] = d.angles;
  out["moments"] = d.moments();
  for (const iteration& one : of.found.iterations)
    out["iterations"].push_back({{"error", one.error}, {"fixups", one.fixups}, {"seconds", one.seconds}});
  out["balance"] = {{"source", b.source}, {"absorption", b.absorption}, {"leakage", b.leakage}};
  if (d.currents) out["imbalance"] = of.found.imbalance;
  out["staged_bytes"] = of.found.staged_bytes;
  out["median_s"] = median_seconds(of.found);
  out["grind_ns"] = grind_ns(of);
  out["checksum"] = fmt::format("{:016x}", checksum_of(of.found));
  if (of.with_reference)
    out["check"] = {{"holds", of.with_reference->holds()},
                    {"different", of.with_reference->different},
                    {"error", of.with_reference->error},
                    {"wrong", of.with_reference->wrong}};
  return out.dump(2) + "\n";
}

}  // namespace sweep
