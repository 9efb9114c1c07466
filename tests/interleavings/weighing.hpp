#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/processes.hpp"
#include "explorer.hpp"

namespace maslin {

/// Adds what the ranks bring, each with a weight of its own. It is brief if it has a kind.
struct weighing final : brief_call {
  weighing(std::uint64_t its_kind, int its_number) : said(its_kind), number(its_number) {}

  std::uint64_t kind() const noexcept override { return said; }
  std::span<const std::byte> gives() const noexcept override { return std::as_bytes(std::span(&number, 1)); }
  void make(std::span<const std::byte> given, std::span<joint_call* const> all, std::span<const int> here) override {
    int made = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      int its = 0;
      std::memcpy(&its, given.data() + i * sizeof its, sizeof its);
      made = made * 10 + its;
    }
    for (const int rank : here) {
      auto& its = static_cast<weighing&>(*all[static_cast<std::size_t>(rank)]);
      its.end(made, true);
      its.made_for = here.size();
    }
  }
  bool meet(std::span<joint_call* const> all) override {
    int made = 0;
    for (joint_call* const one : all) made = made * 10 + static_cast<weighing*>(one)->number;
    for (joint_call* const one : all) static_cast<weighing*>(one)->end(made, false);
    return false;
  }
  void pack(std::span<const int>, std::vector<std::byte>& into) override { append(into, &number, sizeof number); }
  std::unique_ptr<joint_call> unpack(int, std::span<const std::byte> packed) override {
    int its = 0;
    std::memcpy(&its, packed.data(), sizeof its);
    return std::make_unique<weighing>(0, its);
  }
  void end(int made, bool briefly) {
    ++ends;
    result = made;
    was_brief = briefly;
  }
  void expect(int made, bool briefly) const {
    if (ends != 1 || result != made)
      explorer::fail("a call gives " + std::to_string(result) + ' ' + std::to_string(ends) + " times");
    if (was_brief != briefly) explorer::fail(briefly ? "a brief call sent packages" : "a call is brief that cannot be");
  }
  /// It was brief, and its rank has made what it gets: there was no packet.
  void expect_alone() const {
    if (made_for != 1) explorer::fail("a brief call was made for " + std::to_string(made_for) + " ranks");
  }

  const std::uint64_t said;
  const int number;
  int result = 0, ends = 0;
  bool was_brief = false;
  std::size_t made_for = 0;
};

}  // namespace maslin
