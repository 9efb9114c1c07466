#include "phylo/run/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/shared/digest.hpp"
#include "files/replacement.hpp"
#include "phylo/io/error.hpp"
#include "phylo/io/text.hpp"
#include "phylo/run/record.hpp"

namespace phylo {

namespace fs = std::filesystem;
using json = record_json;

namespace {

constexpr const char* record_kind = "maslin-phylo tree 1";
constexpr const char* begun_kind = "maslin-phylo search 1";
constexpr std::string_view begun_suffix = ".begun";

const char* name_of(Purpose purpose) { return purpose == Purpose::search ? "search" : "bootstrap"; }

/// Is it "search-0000" or "bootstrap-0000", with any number?
bool is_record(std::string_view name) {
  for (const std::string_view purpose : {"search-", "bootstrap-"})
    if (name.starts_with(purpose)) {
      const std::string_view number = name.substr(purpose.size());
      return number.size() >= 4 && number.find_first_not_of("0123456789") == number.npos;
    }
  return false;
}

/// Is it "search-0000.begun"?
bool is_begun(std::string_view name) {
  return name.ends_with(begun_suffix) && is_record(name.substr(0, name.size() - begun_suffix.size()));
}

/// Is it what a kill left of a file that was being written?
bool is_part(std::string_view name) {
  const std::string_view whole = maslin::files::replacement::name_without_part(name);
  return whole == "identity.json" || is_record(whole) || is_begun(whole);
}

json to_json(const Identity& identity) {
  json out = {{"alignment", identity.alignment},
              {"alignment_file", identity.alignment_file},
              {"taxa", identity.taxa},
              {"sites", identity.sites},
              {"model", identity.model},
              {"seed", identity.seed},
              {"instructions", identity.instructions},
              {"search", identity.search},
              {"program", identity.program}};
  if (!identity.starts.empty()) out["starts"] = identity.starts;
  if (!identity.constraint.empty()) out["constraint"] = identity.constraint;
  return out;
}

std::string stamp_of(const Identity& identity) {
  json compared = to_json(identity);
  compared.erase("alignment_file");
  return command::hex(command::digest(compared.dump()));
}

/// Gives where the last line of a record begins, which is its checksum if it is whole.
position last_line_of(std::string_view record) {
  return {position_of(record, record.empty() ? 0 : record.size() - 1).line, 1};
}

/// Gives where two different texts differ, as messages show it: of the models of partitions, which stand in one line
/// with "; " between them, the first that are not alike.
std::pair<std::string, std::string> first_difference(const std::string& before, const std::string& now) {
  constexpr std::string_view separator = "; ";
  constexpr std::size_t longest = 40, kept = 20;  // of what is alike
  const auto [one, other] = std::mismatch(before.begin(), before.end(), now.begin(), now.end());
  const auto at = static_cast<std::size_t>(one - before.begin());
  const std::size_t separated = before.substr(0, at).rfind(separator);
  const std::size_t begin = separated == before.npos ? 0 : separated + separator.size();
  const bool cut = at - begin > longest;
  const auto ends_there = [&](const std::string& text) {
    return at == text.size() || text[at] == ' ' || text.compare(at, separator.size(), separator) == 0;
  };
  // Where a partition ends in both, one text has a further one, which is shown, too.
  const std::size_t from = ends_there(before) && ends_there(now) ? at + 1 : at;
  const auto piece = [&](const std::string& text) {
    const std::string found =
        text.substr(cut ? at - kept : begin, text.find(separator, from) - (cut ? at - kept : begin));
    return found.empty() ? std::string("none") : (cut ? "..." : "") + value_shown(found);
  };
  return {piece(before), piece(now)};
}

constexpr const char* damaged_seal = "it is cut off, or its checksum does not fit";

/// What is wrong with a record, and where in it.
struct record_error : input_error {
  record_error(position place, const char* why) : input_error(why), at(place) {}
  position at;
};

}  // namespace

std::string to_string(TreeId id) { return fmt::format("{} {}", name_of(id.purpose), id.index); }

std::string alignment_digest(const Alignment& alignment) {
  std::uint64_t hash = command::digest("alignment");
  for (std::size_t i = 0; i < alignment.names.size(); ++i) {
    hash = command::digest(alignment.names[i], hash);
    hash = command::digest(std::string_view("\0", 1), hash);
    hash = command::digest(alignment.rows[i], hash);
    hash = command::digest(std::string_view("\0", 1), hash);
  }
  return command::hex(hash);
}

std::string format_record(const FinishedTree& tree, const std::string& stamp) {
  json body = {{"record", record_kind},  {"stamp", stamp},  {"purpose", name_of(tree.id.purpose)},
               {"index", tree.id.index}, {"lnl", tree.lnl}, {"model", tree.model},
               {"seconds", tree.seconds}};
  if (!tree.part_newicks.empty()) body["trees_of_parts"] = tree.part_newicks.size();
  // Trees stand outside of the JSON because taxa may have names that are no UTF-8.
  std::string lines = body.dump() + "\n" + tree.newick + "\n";
  for (const std::string& newick : tree.part_newicks) lines += newick + "\n";
  return sealed(lines);
}

FinishedTree parse_record(const std::string& text, const std::string& stamp) {
  const std::optional<std::string_view> whole = unsealed(text);
  if (!whole) throw record_error(last_line_of(text), damaged_seal);
  std::vector<std::string> lines;
  for (std::size_t at = 0, end; (end = whole->find('\n', at)) != whole->npos; at = end + 1)
    lines.emplace_back(whole->substr(at, end - at));
  if (lines.size() < 2) throw record_error(last_line_of(text), "it has no tree");
  try {
    const json body = json::parse(lines.front());
    if (body.at("record") != record_kind) throw record_error({1, 1}, "it is of another version");
    if (body.at("stamp") != stamp) throw record_error({1, 1}, "it belongs to another run");
    FinishedTree tree;
    tree.id.purpose = body.at("purpose") == "search" ? Purpose::search : Purpose::bootstrap;
    tree.id.index = body.at("index").get<int>();
    tree.lnl = body.at("lnl").get<double>();
    tree.model = body.at("model").get<std::string>();
    tree.seconds = body.at("seconds").get<double>();
    tree.newick = lines[1];
    tree.part_newicks.assign(lines.begin() + 2, lines.end());
    if (tree.part_newicks.size() != body.value("trees_of_parts", std::size_t{0}))
      throw record_error(last_line_of(text), "it has another number of trees than it says");
    return tree;
  } catch (const json::exception&) {
    throw record_error({1, 1}, "it is no record of a tree");
  }
}

Checkpoint::Checkpoint(const std::string& folder, const Identity& identity, bool redo,
                       const std::vector<std::string>& results)
    : folder_(folder), identity_(identity), stamp_(stamp_of(identity)) {
  begin_in(folder_, lock_, [&] { open(redo, results); });
}

void Checkpoint::refuse_foreign() const {
  // Whoever works on a checkpoint writes the identity first and removes it last.
  std::error_code unknown;
  if (fs::exists(folder_ + "/identity.json", unknown)) return;
  for (const std::string& name : names_in(folder_))
    if (name != "lock" && !is_part(name))
      fail(folder_, fmt::format("this folder holds {} and no identity.json, so it is no checkpoint of this program; "
                                "choose another --prefix",
                                shown_path(name)));
}

void Checkpoint::open(bool redo, const std::vector<std::string>& results) {
  std::error_code unknown;
  if (!fs::exists(folder_ + "/lock", unknown)) refuse_foreign();  // before there is one
  lock_ =
      FileLock(folder_ + "/lock",
               fmt::format("{}: another process is working on this checkpoint; wait for it, or choose another --prefix",
                           shown_path(folder_)));
  refuse_foreign();
  if (redo) {
    for (const std::string& result : results) remove_file(result);
    forget_all();
  }
  const std::string file = folder_ + "/identity.json";
  if (fs::exists(file, unknown))
    check_identity(read_bytes(file));
  else
    write_file(file, to_json(identity_).dump(2, ' ', false, json::error_handler_t::replace) + "\n");
  load_all();
}

void Checkpoint::check_identity(const std::string& text) const {
  Identity found;
  try {
    const json body = json::parse(text);
    found.alignment = body.at("alignment").get<std::string>();
    found.alignment_file = body.at("alignment_file").get<std::string>();
    found.taxa = body.at("taxa").get<int>();
    found.sites = body.at("sites").get<int>();
    found.model = body.at("model").get<std::string>();
    found.seed = body.at("seed").get<std::uint64_t>();
    found.instructions = body.at("instructions").get<std::string>();
    found.starts = body.value("starts", std::string());
    found.search = body.value("search", std::string());
    found.constraint = body.value("constraint", std::string());
    found.program = body.at("program").get<std::string>();
  } catch (const json::exception& problem) {
    fail_damaged(folder_ + "/identity.json", text, problem,
                 "is damaged, so nobody knows what the trees beside it belong to; choose another "
                 "--prefix, or start afresh with --redo");
  }
  const char* advice = "choose another --prefix, or start afresh with --redo, which forgets its finished trees";
  if (found.alignment != identity_.alignment)
    fail(folder_,
         fmt::format("this checkpoint belongs to another alignment: to {} ({} taxa, {} sites), not to {} ({} taxa, {} "
                     "sites) as it is now; {}",
                     value_shown(found.alignment_file), found.taxa, found.sites, value_shown(identity_.alignment_file),
                     identity_.taxa, identity_.sites, advice));
  if (found.model != identity_.model) {
    const auto [before, now] = first_difference(found.model, identity_.model);
    fail(folder_, fmt::format("this checkpoint was made with the model {}, not {}; {}", before, now, advice));
  }
  if (found.seed != identity_.seed)
    fail(folder_,
         fmt::format("this checkpoint was made with --seed {}, not {}; {}", found.seed, identity_.seed, advice));
  if (found.starts != identity_.starts)
    fail(folder_,
         fmt::format("the searches of this checkpoint began at other trees (--start-trees, --search); {}", advice));
  if (found.constraint != identity_.constraint)
    fail(folder_, fmt::format("this checkpoint was made with {} constraint tree (--tree-constraint); {}",
                              found.constraint.empty()       ? "no"
                              : identity_.constraint.empty() ? "a"
                                                             : "another",
                              advice));
  if (found.instructions != identity_.instructions)
    fail(folder_,
         fmt::format("this checkpoint was made with {} instructions, but this run uses {}, whose results differ in "
                     "the last digits; continue it with MASLIN_SIMD={}, or {}",
                     value_shown(found.instructions), identity_.instructions, value_shown(found.instructions), advice));
  if (found.program != identity_.program)
    fail(folder_, fmt::format("this checkpoint was made by version {} of the search, this is {}; {}",
                              value_shown(found.program), identity_.program, advice));
  if (found.search != identity_.search)
    fail(folder_, fmt::format("this checkpoint was made with --search {}, not {}; {}", value_shown(found.search),
                              identity_.search, advice));
}

void Checkpoint::forget_all() const {
  // The identity goes last: a kill in between leaves fewer trees of the same run.
  for (const std::string& name : names_in(folder_))
    if (is_record(name) || is_begun(name)) remove_file(folder_ + "/" + name);
  remove_file(folder_ + "/identity.json");
}

void Checkpoint::load_all() {
  for (const std::string& name : names_in(folder_)) {
    const std::string file = folder_ + "/" + name;
    if (is_part(name)) remove_file(file);
    if (!is_record(name)) continue;
    const std::string text = read_bytes(file);
    try {
      FinishedTree tree = parse_record(text, stamp_);
      if (path(tree.id) != file) throw record_error({1, 1}, "its name is not that of its tree");
      finished_.emplace(tree.id, std::move(tree));
      remove_file(file + std::string(begun_suffix));  // a kill may have come in between
    } catch (const record_error& e) {
      damaged_.push_back(fmt::format("{}:{}:{}: this finished tree can't be used: {}; it is computed anew",
                                     shown_path(file), e.at.line, e.at.column, e.what()));
    }
  }
}

std::string Checkpoint::path(TreeId id) const {
  return fmt::format("{}/{}-{:04}", folder_, name_of(id.purpose), id.index);
}

std::string Checkpoint::begun_path(TreeId id) const { return path(id) + std::string(begun_suffix); }

const FinishedTree* Checkpoint::find(TreeId id) const {
  const std::lock_guard guard(mutex_);
  const auto found = finished_.find(id);
  return found == finished_.end() ? nullptr : &found->second;
}

void Checkpoint::save(const FinishedTree& tree) {
  write_file(path(tree.id), format_record(tree, stamp_));
  remove_file(begun_path(tree.id));
  const std::lock_guard guard(mutex_);
  finished_.insert_or_assign(tree.id, tree);
}

bool Checkpoint::has_begun(TreeId id) const {
  std::error_code unknown;
  return find(id) == nullptr && fs::exists(begun_path(id), unknown);
}

BegunSearch Checkpoint::begun(TreeId id, const Parts& parts) const {
  const std::string file = begun_path(id);
  std::string text;
  position at;  // of what is looked at
  try {
    text = read_bytes(file);
    at = last_line_of(text);
    const std::optional<std::string_view> line = unsealed(text);
    if (!line) throw input_error(damaged_seal);
    at = {1, 1};
    const json body = json::parse(*line);
    if (body.at("record") != begun_kind) throw input_error("it is of another version");
    if (body.at("stamp") != stamp_) throw input_error("it belongs to another run");
    if (body.at("tree_id") != to_string(id)) throw input_error("its name is not that of its tree");
    return to_begun_search(body.at("search"), parts);
  } catch (const json::exception& problem) {
    fail_damaged(file, text, problem, "this search can't go on: it is no record of a search; it begins anew");
  } catch (const input_error& e) {
    fail(file, at, fmt::format("this search can't go on: {}; it begins anew", e.what()));
  }
}

void Checkpoint::save_begun(TreeId id, const BegunSearch& search) const {
  const json body = {
      {"record", begun_kind}, {"stamp", stamp_}, {"tree_id", to_string(id)}, {"search", to_json(search)}};
  write_file(begun_path(id), sealed(body.dump() + "\n"));
}

}  // namespace phylo
