#pragma once
// What a message consists of: numbers of the basic kinds, and where they lie.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

#include "comm/bytes_as.hpp"

namespace mpi {

/// What a program keeps with an object, by a key of its own.
struct attribute {
  int key;
  void* value;
};

/// Kinds of numbers. A pair is what MPI_MAXLOC and MPI_MINLOC compare.
enum class number : unsigned char {
  none,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f32,
  f64,
  f80,
  c32,
  c64,
  c80,
  i128,  // these are sent, and not combined
  f128,
  c128,
  truth,  // bool
  f32_i32,
  f64_i32,
  i64_i32,
  i16_i32,
  i32_i32,
  f80_i32,
  f32_f32,
  f64_f64
};
std::size_t size_of(number kind);

/// Numbers side by side.
struct piece {
  std::ptrdiff_t at;  ///< bytes from where the element begins
  number kind;
  std::size_t count;
  bool is_halved = false;  ///< in "external32" these are half as wide as here
};

struct datatype;

/// The call that made a type, for MPI_Type_get_contents.
struct made_by {
  int combiner = 0;
  std::vector<int> integers;
  std::vector<std::ptrdiff_t> addresses;
  std::vector<std::shared_ptr<const datatype>> types;
};

struct datatype {
  std::string name;
  made_by by;
  std::vector<piece> pieces;         ///< in the order in which they are sent
  std::size_t size = 0;              ///< bytes that are sent
  std::ptrdiff_t lower = 0;          ///< bytes
  std::ptrdiff_t upper = 0;          ///< bytes; the next element begins at upper - lower
  bool has_set_bounds = false;       ///< the program set them; in a type made of this, they hide those of others
  number reduces_as = number::none;  ///< for operations; only of predefined types
  const std::type_info* begins_with = &typeid(void);  ///< which number, as messages are compared; void: any
  bool is_dense = false;  ///< elements lie side by side, each in the order in which it is sent
  bool is_committed = false;
  int predefined = 0;  ///< its handle, if it is a predefined one; that of one like it, if it is known by its precision
  std::vector<attribute> attributes;

  std::ptrdiff_t extent() const noexcept { return upper - lower; }
  std::ptrdiff_t true_lower() const noexcept;
  std::ptrdiff_t true_upper() const noexcept;
  std::size_t numbers() const noexcept;  ///< in one element
};

/// Elements of a type, somewhere in a new one.
struct placed {
  std::ptrdiff_t at;  ///< bytes
  int count;
  const datatype* of;
};
/// Gives the type that consists of these.
std::shared_ptr<datatype> type_of(std::span<const placed> parts);
/// Rounds the extent up, so that all numbers are aligned as a compiler does it. Bounds that were set stay.
void align(datatype& type);
/// Sets what follows from the pieces and bounds.
void complete(datatype& type);

/// All predefined types, in the order of their handles.
std::vector<std::shared_ptr<datatype>> predefined_types();

/// Elements in memory.
struct buffer {
  void* data;
  std::size_t count;
  const datatype* type;

  std::size_t bytes() const noexcept { return count * type->size; }  ///< that are sent
  /// The bytes that are sent, which lie there, as a message.
  maslin::comm::bytes_as message(std::byte* at) const noexcept {
    return {at, bytes(), bytes() > 0 ? type->begins_with : &typeid(void)};
  }
  std::byte* element(std::size_t i) const noexcept {
    return static_cast<std::byte*>(data) + static_cast<std::ptrdiff_t>(i) * type->extent();
  }
  /// Where the bytes are that are sent, if they lie side by side.
  std::byte* dense() const noexcept { return static_cast<std::byte*>(data) + (type->is_dense ? type->lower : 0); }
};

/// Writes what is sent behind each other.
void pack(const buffer& from, std::byte* into) noexcept;
/// Puts so many bytes where they belong.
void unpack(const std::byte* from, std::size_t bytes, const buffer& into) noexcept;
/// Copies as a message would; what has no room is left out.
void copy(const buffer& from, const buffer& into);

}  // namespace mpi
