// MPI_Pack and MPI_Unpack, also for other implementations: "external32" writes numbers from their highest byte.

#include <bit>
#include <cfloat>
#include <climits>
#include <cstdint>
#include <cstring>
#include <string>

#include "state.hpp"
#include "together.hpp"

using namespace mpi;

namespace {

void expect_room(std::ptrdiff_t room, std::ptrdiff_t at, std::size_t bytes) {
  if (at < 0 || at > room || bytes > static_cast<std::size_t>(room - at))
    throw failure{MPI_ERR_TRUNCATE, std::to_string(bytes) + " bytes from position " + std::to_string(at) +
                                        " do not fit into " + std::to_string(room)};
}

/// So many elements, nowhere.
buffer sized(int count, MPI_Datatype type) {
  if (count < 0) throw failure{MPI_ERR_COUNT, "count " + std::to_string(count) + "; expected one from 0"};
  return {nullptr, static_cast<std::size_t>(count), &type_of(type, false)};
}

// The standard's representation "external32".

static_assert(std::endian::native == std::endian::little, "numbers are turned around");

/// How a number is written: some numbers have two parts, which are written one after the other.
struct width {
  std::size_t parts, here, there;  ///< bytes of a part
};
width width_of(const piece& of) {
  const std::size_t here = size_of(of.kind);
  switch (of.kind) {
    case number::c32:
    case number::c64:
    case number::c80:
    case number::c128:
      return {2, here / 2, here / 2};
    default:
      return {1, here, of.is_halved ? here / 2 : here};
  }
}
bool is_signed(number kind) { return kind == number::i32 || kind == number::i64; }
bool is_extended(number kind) { return LDBL_MANT_DIG == 64 && (kind == number::f80 || kind == number::c80); }

std::size_t external_size(const buffer& data) {
  std::size_t one = 0;
  for (const piece& p : data.type->pieces) {
    const width its = width_of(p);
    one += p.count * its.parts * its.there;
  }
  return one * data.count;
}

/// The other way round.
void turn(const std::byte* from, std::byte* into, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) into[i] = from[bytes - 1 - i];
}

constexpr int exponent_of_all_ones = 0x7fff;
constexpr std::uint64_t low_48_bits = (std::uint64_t{1} << 48) - 1, bit_63 = std::uint64_t{1} << 63;

/// An x87 number has 63 bits behind its point, and one before it; there are 112 there, and none.
void write_extended(const std::byte* from, std::byte* into) {
  std::uint64_t digits = 0;
  std::uint16_t top = 0;
  std::memcpy(&digits, from, 8);
  std::memcpy(&top, from + 8, 2);
  if ((top & exponent_of_all_ones) == 0 && (digits & bit_63) != 0) ++top;  // as the processor takes it
  digits &= ~bit_63;
  const std::uint64_t whole[2] = {digits << 49, std::uint64_t{top} << 48 | digits >> 15};
  turn(reinterpret_cast<const std::byte*>(whole), into, sizeof whole);
}
/// Rounds to the nearest number, or to the even one of two.
void read_extended(const std::byte* from, std::byte* into) {
  std::uint64_t whole[2];
  turn(from, reinterpret_cast<std::byte*>(whole), sizeof whole);
  auto top = static_cast<std::uint16_t>(whole[1] >> 48);
  std::uint64_t digits = (whole[1] & low_48_bits) << 15 | whole[0] >> 49;
  const std::uint64_t rest = whole[0] << 15;  // bit 63: the first that does not fit
  if ((top & exponent_of_all_ones) == exponent_of_all_ones) {
    if (digits == 0 && rest != 0) digits = 1;  // no number stays none
  } else if (rest > bit_63 || (rest == bit_63 && digits % 2 == 1)) {
    if (++digits == bit_63) digits = 0, ++top;
  }
  if ((top & exponent_of_all_ones) != 0) digits |= bit_63;
  std::memset(into, 0, sizeof(long double));
  std::memcpy(into, &digits, 8);
  std::memcpy(into + 8, &top, 2);
}

/// Writes one part of a number; throws where it does not fit.
void write_part(const piece& of, const width& its, const std::byte* from, std::byte* into) {
  if (is_extended(of.kind)) return write_extended(from, into);
  if (its.there < its.here) {
    // What is left out repeats the sign.
    const bool negative = is_signed(of.kind) && std::to_integer<int>(from[its.there - 1]) > 0x7f;
    for (std::size_t i = its.there; i < its.here; ++i)
      if (from[i] != std::byte{static_cast<unsigned char>(negative ? 0xff : 0)})
        throw failure{MPI_ERR_CONVERSION,
                      "a number does not fit into the " + std::to_string(its.there) + " bytes that \"external32\" has"};
  }
  turn(from, into, its.there);
}
void read_part(const piece& of, const width& its, const std::byte* from, std::byte* into) {
  if (of.kind == number::truth) {
    *into = std::byte{*from != std::byte{0}};
    return;
  }
  if (is_extended(of.kind)) return read_extended(from, into);
  turn(from, into, its.there);
  const bool negative = its.there < its.here && is_signed(of.kind) && std::to_integer<int>(*from) > 0x7f;
  std::memset(into + its.there, negative ? 0xff : 0, its.here - its.there);
}

/// Calls `some(piece, width, part, external)` for each part of each number, in their order, with where it lies here and
/// there.
template <class Some>
void each_part(const buffer& data, std::byte* external, Some&& some) {
  for (std::size_t i = 0; i < data.count; ++i)
    for (const piece& p : data.type->pieces) {
      const width its = width_of(p);
      std::byte* at = data.element(i) + p.at;
      for (std::size_t k = 0; k < p.count * its.parts; ++k, at += its.here, external += its.there)
        some(p, its, at, external);
    }
}

void expect_external32(const char* representation) {
  expect_pointer(representation, "the representation");
  if (std::strcmp(representation, "external32") != 0)
    throw failure{MPI_ERR_ARG, std::string("the representation is '") + representation + "'; expected external32"};
}

}  // namespace

MASLIN_MPI_DEFINE(Pack,
                  (const void* data, int count, MPI_Datatype type, void* into, int room, int* at, MPI_Comm comm)) {
  return carry_out(MASLIN_MPI_CALL(Pack), comm, [&] {
    communicator_of(comm);
    const buffer from = checked_buffer(data, count, type);
    expect_room(room, *at, from.bytes());
    pack(from, static_cast<std::byte*>(into) + *at);
    *at += static_cast<int>(from.bytes());
  });
}
MASLIN_MPI_DEFINE(Unpack,
                  (const void* from, int size, int* at, void* data, int count, MPI_Datatype type, MPI_Comm comm)) {
  return carry_out(MASLIN_MPI_CALL(Unpack), comm, [&] {
    communicator_of(comm);
    const buffer into = checked_buffer(data, count, type);
    expect_room(size, *at, into.bytes());
    unpack(static_cast<const std::byte*>(from) + *at, into.bytes(), into);
    *at += static_cast<int>(into.bytes());
  });
}
MASLIN_MPI_DEFINE(Pack_size, (int count, MPI_Datatype type, MPI_Comm comm, int* size)) {
  return carry_out(MASLIN_MPI_CALL(Pack_size), comm, [&] {
    communicator_of(comm);
    *size = static_cast<int>(sized(count, type).bytes());
  });
}
MASLIN_MPI_DEFINE(Pack_external, (const char* representation, const void* data, int count, MPI_Datatype type,
                                  void* into, MPI_Aint room, MPI_Aint* at)) {
  return carry_out(MASLIN_MPI_CALL(Pack_external), MPI_COMM_WORLD, [&] {
    expect_external32(representation);
    const buffer from = checked_buffer(data, count, type);
    const std::size_t bytes = external_size(from);
    expect_room(room, *at, bytes);
    each_part(from, static_cast<std::byte*>(into) + *at, write_part);
    *at += static_cast<MPI_Aint>(bytes);
  });
}
MASLIN_MPI_DEFINE(Unpack_external, (const char* representation, const void* from, MPI_Aint size, MPI_Aint* at,
                                    void* data, int count, MPI_Datatype type)) {
  return carry_out(MASLIN_MPI_CALL(Unpack_external), MPI_COMM_WORLD, [&] {
    expect_external32(representation);
    const buffer into = checked_buffer(data, count, type);
    const std::size_t bytes = external_size(into);
    expect_room(size, *at, bytes);
    // Nothing is written there.
    std::byte* const begin = static_cast<std::byte*>(const_cast<void*>(from)) + *at;
    each_part(into, begin, [](const piece& p, const width& its, std::byte* here, const std::byte* there) {
      read_part(p, its, there, here);
    });
    *at += static_cast<MPI_Aint>(bytes);
  });
}
MASLIN_MPI_DEFINE(Pack_external_size, (const char* representation, int count, MPI_Datatype type, MPI_Aint* size)) {
  return carry_out(MASLIN_MPI_CALL(Pack_external_size), MPI_COMM_WORLD, [&] {
    expect_external32(representation);
    *size = static_cast<MPI_Aint>(external_size(sized(count, type)));
  });
}
