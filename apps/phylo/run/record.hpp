#pragma once
// What records of checkpoints have in common: a checksum in their last line, and trees as they are in memory.

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "phylo/io/file.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// Reads a whole number from a whole number that it can hold, and from nothing else: nlohmann's reading casts 1e30 to
/// an int, which is undefined.
template <class T, class = void>
struct reading : nlohmann::adl_serializer<T> {};
template <std::integral T>
  requires(!std::same_as<T, bool>)
struct reading<T, void> : nlohmann::adl_serializer<T> {
  template <class Json>
  static void from_json(const Json& from, T& to) {
    const bool fits = from.is_number_unsigned()
                          ? std::in_range<T>(from.template get_ref<const std::uint64_t&>())
                          : from.is_number_integer() && std::in_range<T>(from.template get_ref<const std::int64_t&>());
    if (!fits) throw Json::type_error::create(302, "expected a whole number of its size", &from);
    nlohmann::adl_serializer<T>::from_json(from, to);
  }
};
/// What records hold.
using record_json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, double,
                                         std::allocator, reading>;

/// Gives the lines with one more behind them: their checksum.
std::string sealed(const std::string& lines);
/// Gives the lines of a sealed text; nothing if its last line is not their checksum.
std::optional<std::string_view> unsealed(std::string_view text);

/// Gives a file's bytes as they are: a damaged record may hold any. Throws `input_error` when it can't be read, or is
/// no regular file.
std::string read_bytes(const std::string& path);
/// Throws `input_error`: the JSON in this file is damaged; says where, as far as the problem knows, and what to do.
[[noreturn]] void fail_damaged(const std::string& path, const std::string& text, const record_json::exception& problem,
                               const std::string& message);
/// Gives a value that a record holds as messages show it: as it is, or quoted and cut where it is long or no text.
std::string value_shown(const std::string& value);
/// Gives the names in a folder, in order. Throws `input_error` when it can't be read.
std::vector<std::string> names_in(const std::string& folder);

/// Makes a checkpoint's folder and calls `open`, which takes its lock. A folder that this run has made and could not
/// begin in is not left behind.
void begin_in(const std::string& folder, const FileLock& lock, const std::function<void()>& open);

/// Gives a tree with its half-edges, which have to be the same again: they say where likelihoods are computed. Takes it
/// from there; throws `input_error` for a tree of other taxa or one that is not whole, nlohmann's exceptions for what
/// is none.
record_json half_edges_of(const Tree& tree);
Tree tree_of_half_edges(const record_json& from, std::int32_t taxa);

}  // namespace phylo
