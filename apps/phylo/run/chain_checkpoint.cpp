#include "phylo/run/chain_checkpoint.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <utility>

#include "cli/shared/digest.hpp"
#include "files/replacement.hpp"
#include "phylo/io/text.hpp"
#include "phylo/run/record.hpp"

namespace phylo {

namespace fs = std::filesystem;
using json = record_json;

namespace {

constexpr const char* record_kind = "maslin-phylo chains 2";
constexpr position body_begin{3, 1};  // of a record: behind its kind and its run
constexpr const char* start_afresh =
    "choose another --prefix, or start afresh with --redo, which forgets the generations that are there";

json to_json(const ChainIdentity& identity) {
  return {{"alignment", identity.alignment}, {"alignment_file", identity.alignment_file}, {"taxa", identity.taxa},
          {"sites", identity.sites},         {"instructions", identity.instructions},     {"program", identity.program},
          {"options", identity.options}};
}

std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::uint64_t digest_of(const ChainIdentity& identity) {
  json compared = to_json(identity);
  compared.erase("alignment_file");
  return command::digest(dump(compared));
}

bool is_samples(std::string_view name) {
  constexpr std::string_view prefix = "samples-";
  return name.starts_with(prefix) && name.size() >= prefix.size() + 4 &&
         name.substr(prefix.size()).find_first_not_of("0123456789") == name.npos;
}

/// Takes away what kills left of files that were being replaced.
void remove_parts_of(const std::vector<std::string>& results) {
  for (const std::string& result : results) {
    const fs::path folder = result.find('/') == result.npos ? "." : fs::path(result).parent_path();
    if (::access(folder.c_str(), R_OK) != 0) continue;  // a folder that may be written and not read
    const std::string own = fs::path(result).filename();
    for (const std::string& name : names_in(folder))
      if (maslin::files::replacement::name_without_part(name) == own) remove_file(folder / name);
  }
}

/// Gives the value of an option. There were chains before there was --precision.
std::string value_in(const std::map<std::string, std::string>& options, const std::string& name) {
  const auto found = options.find(name);
  return found != options.end() ? found->second : name == "--precision" ? "double" : "unset";
}

bool is_ours(std::string_view name) { return name == "identity.json" || name == "state" || is_samples(name); }

json to_json(const ChainState& state) {
  json out = half_edges_of(state.tree);
  const Model& m = state.model;
  out.update({{"place", state.place},
              {"rates", m.rates},
              {"frequencies", m.frequencies},
              {"alpha", m.alpha},
              {"invariant", m.invariant},
              {"lnl", state.lnl},
              {"log_prior", state.log_prior}});
  return out;
}

ChainState to_chain(const json& from, std::int32_t taxa) {
  ChainState state;
  state.tree = tree_of_half_edges(from, taxa);
  if (state.tree.lengths() > 1) throw input_error("it holds a tree with several lengths a branch");
  from.at("place").get_to(state.place);
  if (state.place < taxa || state.place >= state.tree.half_edges())
    throw input_error("it holds a place outside of its tree");
  from.at("rates").get_to(state.model.rates);
  from.at("frequencies").get_to(state.model.frequencies);
  from.at("alpha").get_to(state.model.alpha);
  from.at("invariant").get_to(state.model.invariant);
  from.at("lnl").get_to(state.lnl);
  from.at("log_prior").get_to(state.log_prior);
  return state;
}

json to_json(const Tuning& tuning) {
  json moved = json::array(), spreads = json::array();
  for (const MoveRecord& r : tuning.moves)
    moved.push_back(
        {r.boldness, r.weight, r.tried, r.accepted, r.tuned, r.tried_lately, r.passed_lately, r.read_lately});
  std::size_t noted = coordinates;
  while (noted > coordinates_of_dna && tuning.spreads[noted - 1] == Spread{}) --noted;
  for (std::size_t c = 0; c < noted; ++c) {
    const Spread& s = tuning.spreads[c];
    spreads.push_back({s.mean, s.squares, s.own, s.others});
  }
  return {{"moves", moved}, {"spreads", spreads}, {"generations", tuning.generations}};
}

Tuning to_tuning(const json& from) {
  Tuning tuning;
  double sum = 0;
  for (std::size_t m = 0; m < moves; ++m) {
    const json& r = from.at("moves").at(m);
    MoveRecord& record = tuning.moves[m];
    record = {r.at(0), r.at(1), r.at(2), r.at(3), r.at(4), r.at(5), r.at(6), r.at(7)};
    if (!(record.weight >= 0 && std::isfinite(record.weight))) throw input_error("it holds a move without a weight");
    if (!(record.boldness > 0 && std::isfinite(record.boldness)) || record.tuned < 0)
      throw input_error("it holds a move without boldness");
    sum += record.weight;
  }
  if (sum == 0) throw input_error("it holds chains without moves");
  const json& spreads = from.at("spreads");
  if (spreads.size() > coordinates) throw input_error("it holds more parameters than a model has");
  for (std::size_t c = 0; c < std::max(spreads.size(), coordinates_of_dna); ++c) {
    const json& s = spreads.at(c);
    tuning.spreads[c] = {s.at(0), s.at(1), s.at(2), s.at(3)};
  }
  from.at("generations").get_to(tuning.generations);
  return tuning;
}

json to_json(const RunState& run) {
  json chains = json::array(), tunings = json::array();
  for (const ChainState& chain : run.chains) chains.push_back(to_json(chain));
  for (const Tuning& of_heat : run.tunings) tunings.push_back(to_json(of_heat));
  return {{"chains", chains},
          {"heats", run.heats},
          {"tunings", tunings},
          {"swaps_tried", run.swaps_tried},
          {"swaps_accepted", run.swaps_accepted}};
}

RunState to_run(const json& from, std::int32_t taxa) {
  RunState run;
  for (const json& chain : from.at("chains")) run.chains.push_back(to_chain(chain, taxa));
  for (const json& tuning : from.at("tunings")) run.tunings.push_back(to_tuning(tuning));
  from.at("heats").get_to(run.heats);
  from.at("swaps_tried").get_to(run.swaps_tried);
  from.at("swaps_accepted").get_to(run.swaps_accepted);
  const std::size_t chains = run.chains.size(), pairs = chains * chains;
  if (chains == 0 || run.tunings.size() != chains || run.swaps_tried.size() != pairs ||
      run.swaps_accepted.size() != pairs)
    throw input_error("it holds other numbers of chains and of what is known of them");
  std::vector<int> every_heat(chains);
  std::iota(every_heat.begin(), every_heat.end(), 0);
  if (!std::is_permutation(run.heats.begin(), run.heats.end(), every_heat.begin(), every_heat.end()))
    throw input_error("it holds chains without a heat of their own");
  return run;
}

}  // namespace

ChainCheckpoint::ChainCheckpoint(const std::string& folder, const ChainIdentity& identity, bool redo,
                                 const std::vector<std::string>& results)
    : folder_(folder), identity_(identity) {
  begin_in(folder_, lock_, [&] { open(redo, results); });
}

void ChainCheckpoint::open(bool redo, const std::vector<std::string>& results) {
  std::error_code unknown;
  if (!fs::exists(folder_ + "/lock", unknown)) refuse_foreign();
  lock_ = FileLock(folder_ + "/lock", fmt::format("{}: another process is working on these chains; wait for it, or "
                                                  "choose another --prefix",
                                                  shown_path(folder_)));
  refuse_foreign();
  for (const std::string& name : names_in(folder_))
    if (is_ours(maslin::files::replacement::name_without_part(name))) remove_file(folder_ + "/" + name);
  remove_parts_of(results);
  if (redo) {
    for (const std::string& result : results) remove_file(result);
    forget_all();
  }
  const std::string file = folder_ + "/identity.json";
  if (fs::exists(file, unknown))
    identity_.options = options_of(read_bytes(file));
  else
    write_file(file, to_json(identity_).dump(2, ' ', false, json::error_handler_t::replace) + "\n");
  stamp_ = command::hex(number());
}

void ChainCheckpoint::refuse_foreign() const {
  // Whoever works on it writes the identity first and removes it last.
  std::error_code unknown;
  if (fs::exists(folder_ + "/identity.json", unknown)) return;
  for (const std::string& name : names_in(folder_))
    if (name != "lock" && !is_ours(maslin::files::replacement::name_without_part(name)))
      fail(folder_, fmt::format("this folder holds {} and no identity.json, so it holds no chains of this program; "
                                "choose another --prefix",
                                shown_path(name)));
}

std::map<std::string, std::string> ChainCheckpoint::options_of(const std::string& text) const {
  ChainIdentity found;
  try {
    const json body = json::parse(text);
    body.at("alignment").get_to(found.alignment);
    body.at("alignment_file").get_to(found.alignment_file);
    body.at("taxa").get_to(found.taxa);
    body.at("sites").get_to(found.sites);
    body.at("instructions").get_to(found.instructions);
    body.at("program").get_to(found.program);
    body.at("options").get_to(found.options);
  } catch (const json::exception& problem) {
    fail_damaged(folder_ + "/identity.json", text, problem,
                 fmt::format("is damaged, so nobody knows what the chains beside it belong to; {}", start_afresh));
  }
  if (found.program != identity_.program)
    fail(folder_, fmt::format("these chains were made by version {} of mcmc, this is {}; {}",
                              value_shown(found.program), identity_.program, start_afresh));
  if (found.alignment != identity_.alignment)
    fail(folder_,
         fmt::format("these chains belong to another alignment: to {} ({} taxa, {} sites), not to {} ({} taxa, "
                     "{} sites) as it is now; {}",
                     value_shown(found.alignment_file), found.taxa, found.sites, value_shown(identity_.alignment_file),
                     identity_.taxa, identity_.sites, start_afresh));
  std::map<std::string, std::string> all = identity_.options;
  all.insert(found.options.begin(), found.options.end());
  for (const auto& [option, either] : all) {
    const std::string made_with = value_in(found.options, option), asked_for = value_in(identity_.options, option);
    if (made_with != asked_for)
      fail(folder_, fmt::format("these chains were made with {} {}, not {}; {}", value_shown(option),
                                value_shown(made_with), value_shown(asked_for), start_afresh));
  }
  if (found.instructions != identity_.instructions)
    fail(folder_,
         fmt::format("these chains were made with {} instructions, but this run uses {}, whose results differ in "
                     "the last digits; continue with MASLIN_SIMD={}, or {}",
                     value_shown(found.instructions), identity_.instructions, value_shown(found.instructions),
                     start_afresh));
  return found.options;
}

void ChainCheckpoint::forget_all() const {
  // The state goes first: without it no sample counts. The identity goes last.
  remove_file(folder_ + "/state");
  for (const std::string& name : names_in(folder_))
    if (is_samples(name)) remove_file(folder_ + "/" + name);
  remove_file(folder_ + "/identity.json");
}

std::string ChainCheckpoint::samples_name(std::size_t number) const { return fmt::format("samples-{:04}", number); }

void ChainCheckpoint::write_record(const std::string& name, const std::string& body) const {
  const std::string lines = fmt::format("{}\n{}\n{}\n", record_kind, stamp_, body);
  write_file(folder_ + "/" + name, sealed(lines));
}

std::string ChainCheckpoint::read_record(const std::string& name) const {
  const std::string path = folder_ + "/" + name, text = read_bytes(path);
  const auto damaged = [&](std::size_t offset, const char* how) {
    fail(path, position_of(text, offset), fmt::format("{}; {}", how, start_afresh));
  };
  const std::string head = fmt::format("{}\n", record_kind);
  if (!text.starts_with(head)) damaged(0, "is no record of chains of this version");
  const std::optional<std::string_view> lines = unsealed(text);
  if (!lines) damaged(text.size(), "is damaged: its checksum does not fit what stands before");
  const std::size_t stamp_end = lines->find('\n', head.size());
  if (lines->substr(head.size(), stamp_end - head.size()) != stamp_) damaged(head.size(), "belongs to another run");
  return std::string(lines->substr(stamp_end + 1, lines->size() - stamp_end - 2));
}

std::optional<ChainProgress> ChainCheckpoint::load() {
  std::error_code unknown;
  if (!fs::exists(folder_ + "/state", unknown)) return std::nullopt;
  ChainProgress progress;
  std::string at = "state";
  try {
    const json state = json::parse(read_record(at));
    state.at("generation").get_to(progress.grid.generation);
    state.at("sample_files").get_to(sample_files_);
    for (const json& run : state.at("runs")) progress.grid.runs.push_back(to_run(run, identity_.taxa));
    for (const json& row : state.at("rows")) progress.rows.push_back({row.at(0), row.at(1)});
    progress.samples.resize(progress.grid.runs.size());
    for (std::size_t number = 0; number < sample_files_; ++number) {
      at = samples_name(number);
      const json samples = json::parse(read_record(at));
      for (std::size_t run = 0; run < progress.samples.size(); ++run)
        for (const json& sample : samples.at(run))
          progress.samples[run].push_back({sample.at(0), sample.at(1), sample.at(2)});
    }
  } catch (const json::exception&) {
    fail(folder_ + "/" + at, body_begin, fmt::format("is damaged; {}", start_afresh));
  } catch (const input_error& e) {
    if (std::string_view(e.what()).starts_with(shown_path(folder_))) throw;
    fail(folder_ + "/" + at, body_begin, fmt::format("is damaged: {}; {}", e.what(), start_afresh));
  }
  return progress;
}

void ChainCheckpoint::save(const GridState& state, const std::vector<RunSamples>& runs, std::size_t kept,
                           const std::vector<McmcRow>& rows) {
  json samples = json::array();
  bool any = false;
  for (const RunSamples& run : runs) {
    json of_run = json::array();
    for (std::size_t i = kept; i < run.all.size(); ++i)
      of_run.push_back({run.all[i].generation, run.all[i].values, run.all[i].tree});
    any = any || !of_run.empty();
    samples.push_back(std::move(of_run));
  }
  if (any) write_record(samples_name(sample_files_++), dump(samples));
  json all_runs = json::array(), all_rows = json::array();
  for (const RunState& run : state.runs) all_runs.push_back(to_json(run));
  for (const McmcRow& row : rows) all_rows.push_back({row.generation, row.values});
  write_record(
      "state",
      dump(
          {{"generation", state.generation}, {"sample_files", sample_files_}, {"runs", all_runs}, {"rows", all_rows}}));
}

std::uint64_t ChainCheckpoint::number() const { return digest_of(identity_); }

}  // namespace phylo
