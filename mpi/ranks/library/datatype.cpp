#include "datatype.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "mpi.h"

namespace mpi {

std::size_t size_of(number kind) {
  using enum number;
  switch (kind) {
    case none:
      return 0;
    case i8:
    case u8:
    case truth:
      return 1;
    case i16:
    case u16:
      return 2;
    case i32:
    case u32:
    case f32:
      return 4;
    case i64:
    case u64:
    case f64:
    case c32:
    case f32_i32:
    case i32_i32:
    case f32_f32:
      return 8;
    case f80:
    case i128:
    case f128:
    case c64:
    case f64_f64:
      return 16;
    case c80:
    case c128:
      return 32;
    case i16_i32:
      return 6;
    case f64_i32:
    case i64_i32:
      return 12;
    case f80_i32:
      return 20;
  }
  return 0;
}

namespace {

/// Whole numbers with and without a sign count as the same, and so do a complex number and its two parts. What is one
/// byte long may be anything.
const std::type_info& kind_of(number first) {
  using enum number;
  switch (first) {
    case i16:
    case u16:
      return typeid(short);
    case i32:
    case u32:
      return typeid(int);
    case i64:
    case u64:
      return typeid(long);
    case f32:
    case c32:
      return typeid(float);
    case f64:
    case c64:
      return typeid(double);
    case f80:
    case f128:
    case c80:
    case c128:
      return typeid(long double);
    default:  // pieces are no pairs
      return typeid(void);
  }
}

std::size_t alignment_of(number kind) {
  if (kind == number::c32) return 4;
  if (kind == number::c64) return 8;
  if (kind == number::c80 || kind == number::c128) return 16;
  return size_of(kind);
}

/// Adds numbers behind the others; those that lie side by side become one piece.
void append(std::vector<piece>& pieces, piece next) {
  if (next.count == 0) return;
  if (!pieces.empty()) {
    piece& last = pieces.back();
    const auto end = last.at + static_cast<std::ptrdiff_t>(last.count * size_of(last.kind));
    if (last.kind == next.kind && last.is_halved == next.is_halved && end == next.at) {
      last.count += next.count;
      return;
    }
  }
  pieces.push_back(next);
}

}  // namespace

std::ptrdiff_t datatype::true_lower() const noexcept {
  std::ptrdiff_t least = pieces.empty() ? 0 : pieces.front().at;
  for (const piece& p : pieces) least = std::min(least, p.at);
  return least;
}
std::ptrdiff_t datatype::true_upper() const noexcept {
  const auto end = [](const piece& p) { return p.at + static_cast<std::ptrdiff_t>(p.count * size_of(p.kind)); };
  std::ptrdiff_t most = pieces.empty() ? 0 : end(pieces.front());
  for (const piece& p : pieces) most = std::max(most, end(p));
  return most;
}
std::size_t datatype::numbers() const noexcept {
  std::size_t all = 0;
  for (const piece& p : pieces) all += p.count;
  return all;
}

void complete(datatype& type) {
  if (!type.pieces.empty()) type.begins_with = &kind_of(type.pieces.front().kind);
  type.size = 0;
  std::ptrdiff_t next = type.lower;
  type.is_dense = true;
  for (const piece& p : type.pieces) {
    const std::size_t bytes = p.count * size_of(p.kind);
    type.is_dense = type.is_dense && p.at == next;
    next = p.at + static_cast<std::ptrdiff_t>(bytes);
    type.size += bytes;
  }
  type.is_dense = type.is_dense && next == type.upper;
}

std::shared_ptr<datatype> type_of(std::span<const placed> parts) {
  auto made = std::make_shared<datatype>();
  bool is_first = true;
  for (const placed& part : parts) {
    if (part.count == 0) continue;
    const datatype& of = *part.of;
    const std::ptrdiff_t last = (part.count - 1) * of.extent();
    if (of.has_set_bounds || !made->has_set_bounds) {
      is_first = is_first || of.has_set_bounds != made->has_set_bounds;
      const std::ptrdiff_t lower = part.at + std::min<std::ptrdiff_t>(0, last) + of.lower;
      const std::ptrdiff_t upper = part.at + std::max<std::ptrdiff_t>(0, last) + of.upper;
      made->lower = is_first ? lower : std::min(made->lower, lower);
      made->upper = is_first ? upper : std::max(made->upper, upper);
      made->has_set_bounds = of.has_set_bounds;
      is_first = false;
    }
    for (int i = 0; i < part.count; ++i)
      for (const piece& p : of.pieces)
        append(made->pieces, {part.at + i * of.extent() + p.at, p.kind, p.count, p.is_halved});
  }
  complete(*made);
  return made;
}

void align(datatype& type) {
  if (type.has_set_bounds) return;
  std::size_t strictest = 1;
  for (const piece& p : type.pieces) strictest = std::max(strictest, alignment_of(p.kind));
  const auto to = static_cast<std::ptrdiff_t>(strictest);
  const std::ptrdiff_t rest = type.extent() % to;
  if (rest > 0) type.upper += to - rest;
  complete(type);
}

std::vector<std::shared_ptr<datatype>> predefined_types() {
  using enum number;
  static constexpr std::pair<const char*, number> all[] = {{"MPI_CHAR", i8},
                                                           {"MPI_SIGNED_CHAR", i8},
                                                           {"MPI_UNSIGNED_CHAR", u8},
                                                           {"MPI_BYTE", u8},
                                                           {"MPI_PACKED", u8},
                                                           {"MPI_SHORT", i16},
                                                           {"MPI_UNSIGNED_SHORT", u16},
                                                           {"MPI_INT", i32},
                                                           {"MPI_UNSIGNED", u32},
                                                           {"MPI_LONG", i64},
                                                           {"MPI_UNSIGNED_LONG", u64},
                                                           {"MPI_LONG_LONG_INT", i64},
                                                           {"MPI_UNSIGNED_LONG_LONG", u64},
                                                           {"MPI_FLOAT", f32},
                                                           {"MPI_DOUBLE", f64},
                                                           {"MPI_LONG_DOUBLE", f80},
                                                           {"MPI_WCHAR", u32},
                                                           {"MPI_C_BOOL", truth},
                                                           {"MPI_INT8_T", i8},
                                                           {"MPI_INT16_T", i16},
                                                           {"MPI_INT32_T", i32},
                                                           {"MPI_INT64_T", i64},
                                                           {"MPI_UINT8_T", u8},
                                                           {"MPI_UINT16_T", u16},
                                                           {"MPI_UINT32_T", u32},
                                                           {"MPI_UINT64_T", u64},
                                                           {"MPI_AINT", i64},
                                                           {"MPI_COUNT", i64},
                                                           {"MPI_OFFSET", i64},
                                                           {"MPI_C_COMPLEX", c32},
                                                           {"MPI_C_DOUBLE_COMPLEX", c64},
                                                           {"MPI_C_LONG_DOUBLE_COMPLEX", c80},
                                                           {"MPI_FLOAT_INT", f32_i32},
                                                           {"MPI_DOUBLE_INT", f64_i32},
                                                           {"MPI_LONG_INT", i64_i32},
                                                           {"MPI_SHORT_INT", i16_i32},
                                                           {"MPI_2INT", i32_i32},
                                                           {"MPI_LONG_DOUBLE_INT", f80_i32},
                                                           {"MPI_CHARACTER", i8},
                                                           {"MPI_LOGICAL", i32},
                                                           {"MPI_INTEGER", i32},
                                                           {"MPI_INTEGER1", i8},
                                                           {"MPI_INTEGER2", i16},
                                                           {"MPI_INTEGER4", i32},
                                                           {"MPI_INTEGER8", i64},
                                                           {"MPI_REAL", f32},
                                                           {"MPI_REAL4", f32},
                                                           {"MPI_REAL8", f64},
                                                           {"MPI_REAL16", f128},
                                                           {"MPI_DOUBLE_PRECISION", f64},
                                                           {"MPI_COMPLEX", c32},
                                                           {"MPI_COMPLEX8", c32},
                                                           {"MPI_COMPLEX16", c64},
                                                           {"MPI_DOUBLE_COMPLEX", c64},
                                                           {"MPI_2INTEGER", i32_i32},
                                                           {"MPI_2REAL", f32_f32},
                                                           {"MPI_2DOUBLE_PRECISION", f64_f64},
                                                           {"MPI_CXX_BOOL", truth},
                                                           {"MPI_CXX_FLOAT_COMPLEX", c32},
                                                           {"MPI_CXX_DOUBLE_COMPLEX", c64},
                                                           {"MPI_CXX_LONG_DOUBLE_COMPLEX", c80},
                                                           {"MPI_INTEGER16", i128},
                                                           {"MPI_COMPLEX32", c128}};
  std::vector<std::shared_ptr<datatype>> made;
  for (const auto& [name, kind] : all) {
    auto type = std::make_shared<datatype>();
    type->name = name;
    type->reduces_as = kind;
    type->is_committed = true;
    type->predefined = static_cast<int>(made.size()) + 1;
    switch (kind) {
      case i128:
      case f128:
      case c128:
        type->pieces = {{0, kind, 1}};
        type->reduces_as = none;
        break;
      case f32_i32:
        type->pieces = {{0, f32, 1}, {4, i32, 1}};
        break;
      case f64_i32:
        type->pieces = {{0, f64, 1}, {8, i32, 1}};
        break;
      case i64_i32:
        type->pieces = {{0, i64, 1}, {8, i32, 1}};
        break;
      case i16_i32:
        type->pieces = {{0, i16, 1}, {4, i32, 1}};
        break;
      case f80_i32:
        type->pieces = {{0, f80, 1}, {16, i32, 1}};
        break;
      case i32_i32:
        type->pieces = {{0, i32, 2}};
        break;
      case f32_f32:
        type->pieces = {{0, f32, 2}};
        break;
      case f64_f64:
        type->pieces = {{0, f64, 2}};
        break;
      default:
        type->pieces = {{0, kind, 1}};
    }
    // In "external32" a long has 4 bytes, and a wchar_t 2, with the number of its character, which has no sign.
    const int handle = type->predefined;
    type->pieces.front().is_halved =
        handle == MPI_LONG || handle == MPI_UNSIGNED_LONG || handle == MPI_LONG_INT || handle == MPI_WCHAR;
    type->upper = type->true_upper();
    align(*type);
    made.push_back(std::move(type));
  }
  return made;
}

void pack(const buffer& from, std::byte* into) noexcept {
  if (from.bytes() == 0) return;
  if (from.type->is_dense) {
    std::memcpy(into, from.dense(), from.bytes());
    return;
  }
  for (std::size_t i = 0; i < from.count; ++i)
    for (const piece& p : from.type->pieces) {
      const std::size_t bytes = p.count * size_of(p.kind);
      std::memcpy(into, from.element(i) + p.at, bytes);
      into += bytes;
    }
}

void unpack(const std::byte* from, std::size_t bytes, const buffer& into) noexcept {
  bytes = std::min(bytes, into.bytes());
  if (bytes == 0) return;
  if (into.type->is_dense) {
    std::memcpy(into.dense(), from, bytes);
    return;
  }
  for (std::size_t i = 0; bytes > 0; ++i)
    for (const piece& p : into.type->pieces) {
      const std::size_t some = std::min(bytes, p.count * size_of(p.kind));
      std::memcpy(into.element(i) + p.at, from, some);
      from += some;
      bytes -= some;
      if (bytes == 0) return;
    }
}

void copy(const buffer& from, const buffer& into) {
  const std::size_t bytes = std::min(from.bytes(), into.bytes());
  if (bytes == 0) return;
  if (from.type->is_dense) {
    unpack(from.dense(), bytes, into);
    return;
  }
  if (into.type->is_dense && bytes == from.bytes()) {
    pack(from, into.dense());
    return;
  }
  const auto between = std::make_unique_for_overwrite<std::byte[]>(from.bytes());
  pack(from, between.get());
  unpack(between.get(), bytes, into);
}

}  // namespace mpi
