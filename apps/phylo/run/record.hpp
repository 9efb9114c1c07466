#pragma once
// What records of checkpoints have in common: a checksum in their last line, and trees as they are in memory.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "phylo/tree/tree.hpp"

namespace phylo {

/// Gives the lines with one more behind them: their checksum.
std::string sealed(const std::string& lines);
/// Gives the lines of a sealed text; nothing if its last line is not their checksum.
std::optional<std::string_view> unsealed(std::string_view text);

/// Gives a file's bytes as they are: a damaged record may hold any.
std::string read_bytes(const std::string& path);
/// Throws `input_error`: the JSON in this file is damaged; says where, as far as the problem knows, and what to do.
[[noreturn]] void fail_damaged(const std::string& path, const std::string& text,
                               const nlohmann::json::exception& problem, const std::string& message);
/// Gives the names in a folder, in order.
std::vector<std::string> names_in(const std::string& folder);

/// Gives a tree with its half-edges, which have to be the same again: they say where likelihoods are computed. Takes it
/// from there; throws `input_error` for a tree of other taxa or one that is not whole, nlohmann's exceptions for what
/// is none.
nlohmann::json half_edges_of(const Tree& tree);
Tree tree_of_half_edges(const nlohmann::json& from, std::int32_t taxa);

}  // namespace phylo
