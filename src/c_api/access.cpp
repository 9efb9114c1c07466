#include "c_api/access.hpp"

#include <cstdint>
#include <string>

#include "c_api/boundary.hpp"
#include "c_api/operation.hpp"

namespace maslin::c_api {

namespace {

std::optional<access_mode> mode_of(const maslin_access& access) {
  switch (access.mode) {
    case MASLIN_IN:
      return access_mode::in;
    case MASLIN_OUT:
      return access_mode::out;
    case MASLIN_INOUT:
      return access_mode::inout;
    case MASLIN_CONCURRENT:
      return access_mode::concurrent;
    case MASLIN_REDUCTION:
      return access_mode::reduction;
  }
  return std::nullopt;
}

/// Is all of it within what an address can reach?
bool fits(const maslin_access& a) {
  std::int64_t bytes = 0;
  return a.element <= static_cast<std::size_t>(INT64_MAX) && !__builtin_mul_overflow(a.ld, a.columns, &bytes) &&
         !__builtin_mul_overflow(bytes, static_cast<std::int64_t>(a.element), &bytes) &&
         !__builtin_mul_overflow(a.rows, static_cast<std::int64_t>(a.element), &bytes);
}

}  // namespace

detail::declared declare(const maslin_access& a, const char* name, std::optional<std::size_t> index) {
  const auto named = [&] { return index ? std::string(name) + "[" + std::to_string(*index) + "]" : std::string(name); };
  const auto fail = [&](const char* field, std::int64_t found, const std::string& expected) {
    throw bad_argument(named() + "." + field + " = " + std::to_string(found) + ": expected " + expected);
  };
  const auto mode = mode_of(a);
  if (!mode) fail("mode", a.mode, "one of MASLIN_IN, MASLIN_OUT, MASLIN_INOUT, MASLIN_CONCURRENT, MASLIN_REDUCTION");
  if (a.element == 0) fail("element", 0, "the bytes of an element");
  if (a.rows < 0) fail("rows", a.rows, "a number of elements, 0 or more");
  if (a.columns < 0) fail("columns", a.columns, "a number of columns, 0 or more");
  if (a.columns > 1 && a.ld < a.rows)
    fail("ld", a.ld, "the elements from column to column, at least the " + std::to_string(a.rows) + " of a column");
  if (!fits(a))
    throw bad_argument(named() + " is larger than memory can be: expected a range or tile of the program's");
  if (!a.data && a.rows > 0 && a.columns > 0)
    throw bad_argument(named() + ".data is NULL: expected where the data lies");

  const detail::reduction_kind* reduces = nullptr;
  if (*mode == access_mode::reduction) {
    if (a.columns != 1 && a.ld != a.rows) fail("columns", a.columns, "1: the data of a reduction is contiguous");
    reduces = &lasting(a.operation);
    if (reduces->element != a.element)
      fail("element", static_cast<std::int64_t>(a.element),
           "the " + std::to_string(reduces->element) + " bytes of the operation's elements");
  } else if (a.operation) {
    throw bad_argument(named() + ".operation is set, and its mode is not MASLIN_REDUCTION: expected NULL");
  }
  const std::size_t column = static_cast<std::size_t>(a.rows) * a.element;
  const std::size_t stride = a.columns > 1 ? static_cast<std::size_t>(a.ld) * a.element : column;
  return {a.data, column, static_cast<std::size_t>(a.columns), stride, *mode, *mode == access_mode::out, reduces};
}

}  // namespace maslin::c_api
