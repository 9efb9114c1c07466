#include "phylo/run/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/shared/digest.hpp"
#include "phylo/io/text.hpp"

namespace phylo {

namespace fs = std::filesystem;
using json = record_json;

namespace {

std::string checksum_of(std::string_view lines) { return "checksum " + command::hex(command::digest(lines)) + "\n"; }

}  // namespace

std::string sealed(const std::string& lines) { return lines + checksum_of(lines); }

std::optional<std::string_view> unsealed(std::string_view text) {
  const std::size_t length = checksum_of({}).size();
  if (text.size() < length) return std::nullopt;
  const std::string_view lines = text.substr(0, text.size() - length);
  if (text.substr(lines.size()) != checksum_of(lines)) return std::nullopt;
  return lines;
}

std::string read_bytes(const std::string& path) {
  std::error_code unknown;
  if (fs::exists(path, unknown) && !fs::is_regular_file(path, unknown))  // a FIFO would be waited for
    fail(path, "is no regular file, so it is none of this checkpoint's; move it away or choose another --prefix");
  std::ifstream in(path, std::ios::binary);
  std::array<char, 1 << 16> piece;
  std::string bytes;
  while (in.read(piece.data(), piece.size()), in.gcount() > 0)
    bytes.append(piece.data(), static_cast<std::size_t>(in.gcount()));
  if (!in.eof())
    fail(path,
         fmt::format("can't be read: {}; choose another --prefix, or start afresh with --redo", std::strerror(errno)));
  return bytes;
}

void fail_damaged(const std::string& path, const std::string& text, const json::exception& problem,
                  const std::string& message) {
  const auto* const no_json = dynamic_cast<const json::parse_error*>(&problem);
  fail(path, position_of(text, no_json != nullptr && no_json->byte > 0 ? no_json->byte - 1 : 0), message);
}

std::string value_shown(const std::string& value) {
  constexpr std::size_t longest = 60;
  return value.size() <= longest && is_printable_utf8(value) ? value : shown(value);
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
    names.push_back(at->path().filename().string());
  if (problem) fail(folder, fmt::format("this folder can't be read: {}; choose another --prefix", problem.message()));
  std::sort(names.begin(), names.end());
  return names;
}

void begin_in(const std::string& folder, const FileLock& lock, const std::function<void()>& open) {
  std::error_code unknown;
  const bool fresh = !fs::exists(folder, unknown);
  make_folder(folder);
  try {
    open();
  } catch (...) {
    if (fresh && lock.held()) {  // else it is another's who has locked it meanwhile
      fs::remove(folder + "/lock", unknown);
      fs::remove(folder, unknown);
    }
    throw;
  }
}

json half_edges_of(const Tree& tree) {
  json partners = json::array(), lengths = json::array();
  for (HalfEdge h = 0; h < tree.half_edges(); ++h) partners.push_back(tree.back(h));
  for (std::size_t part = 0; part < tree.lengths(); ++part)
    for (HalfEdge h = 0; h < tree.half_edges(); ++h) lengths.push_back(tree.length(h, part));
  return {{"partners", partners}, {"lengths", lengths}};
}

Tree tree_of_half_edges(const json& from, std::int32_t taxa) {
  Tree tree(taxa);
  const auto partners = from.at("partners").get<std::vector<HalfEdge>>();
  const auto lengths = from.at("lengths").get<std::vector<double>>();
  const auto ends = static_cast<std::size_t>(tree.half_edges());
  if (partners.size() != ends || lengths.empty() || lengths.size() % ends != 0)
    throw input_error("it holds trees of other taxa");
  if (lengths.size() > ends) tree.unlink(lengths.size() / ends);
  for (std::size_t h = 0; h < ends; ++h) {
    const HalfEdge far = partners[h];
    if (far < 0 || static_cast<std::size_t>(far) >= ends ||
        partners[static_cast<std::size_t>(far)] != static_cast<HalfEdge>(h))
      throw input_error("it holds a tree with an open branch");
    if (static_cast<HalfEdge>(h) >= far) continue;
    std::vector<double> of_parts;
    for (std::size_t at = h; at < lengths.size(); at += ends) of_parts.push_back(lengths[at]);
    const BranchLength length = of_parts.size() == 1 ? of_parts.front() : BranchLength(std::move(of_parts));
    tree.connect(static_cast<HalfEdge>(h), far, length);
  }
  if (!tree.complete()) throw input_error("it holds a tree in pieces");
  return tree;
}

}  // namespace phylo
