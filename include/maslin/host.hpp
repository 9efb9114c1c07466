#pragma once
// Functions that ranks call by their names and that run outside the ranks: for files, memory, printing.

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "maslin/access.hpp"
#include "maslin/api.hpp"
#include "maslin/location.hpp"

namespace maslin {

namespace detail {

/// What goes to a function, or comes back from it: as bytes.
struct value_kind {
  enum class shape : unsigned char { nothing, object, text, array };
  shape is;
  const std::type_info* type;  ///< of an object, or of an array's elements
};

template <class T>
concept text = std::convertible_to<const T&, std::string_view>;

template <class T>
struct passed {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_array_v<T>,
                "what goes to a host's function, or comes back, is a text, a contiguous range of elements, or one "
                "object, of what can be copied as bytes");
  static_assert(!std::is_pointer_v<T>, "a pointer means nothing elsewhere: pass a span, a text or the object itself");
  using kept = T;  ///< as it is there
  static value_kind kind() { return {value_kind::shape::object, &typeid(T)}; }
};
template <>
struct passed<void> {
  using kept = void;
  static value_kind kind() { return {value_kind::shape::nothing, nullptr}; }
};
template <text T>
struct passed<T> {
  using kept = std::string;
  static value_kind kind() { return {value_kind::shape::text, nullptr}; }
};
template <class T>
  requires(contiguous<const T> && !text<T>)
struct passed<T> {
  using element = std::remove_cv_t<typename decltype(std::span(std::declval<const T&>()))::element_type>;
  static_assert(std::is_trivially_copyable_v<element> && !std::is_pointer_v<element> && !std::is_same_v<element, bool>,
                "the elements of an array are copied as bytes; they are no pointers, and no bools, of which a vector "
                "keeps bits");
  using kept = std::vector<element>;
  static value_kind kind() { return {value_kind::shape::array, &typeid(element)}; }
};

template <class T>
void append_value(std::vector<std::byte>& to, const T& value) {
  const auto append = [&to](const void* from, std::size_t bytes) {
    const auto* const begin = static_cast<const std::byte*>(from);
    to.insert(to.end(), begin, begin + bytes);
  };
  if constexpr (text<T> || contiguous<const T>) {
    const auto all = [&] {
      if constexpr (text<T>)
        return std::string_view(value);
      else
        return std::span(value);
    }();
    const std::size_t extent = all.size();
    append(&extent, sizeof extent);
    append(all.data(), extent * sizeof *all.data());
  } else {
    append(std::addressof(value), sizeof value);
  }
}

/// Takes what `append_value` has put there, in the same order.
class value_reader {
 public:
  explicit value_reader(std::span<const std::byte> from) noexcept : at_(from.data()) {}

  template <class T>
  typename passed<T>::kept next() {
    if constexpr (text<T> || contiguous<const T>) {
      std::size_t extent = 0;
      take(&extent, sizeof extent);
      typename passed<T>::kept value;
      value.resize(extent);
      take(value.data(), extent * sizeof *value.data());
      return value;
    } else {
      std::array<std::byte, sizeof(T)> bytes;
      take(bytes.data(), sizeof bytes);
      return std::bit_cast<T>(bytes);
    }
  }

 private:
  void take(void* to, std::size_t bytes) noexcept {
    if (bytes > 0) std::memcpy(to, at_, bytes);
    at_ += bytes;
  }
  const std::byte* at_;
};

/// What a function takes and gives, in words: who calls it must have the same.
MASLIN_API std::string signature_of(value_kind gives, std::span<const value_kind> takes);
template <class Result, class... Values>
const std::string& signature() {
  static const std::string words = [] {
    const std::array<value_kind, sizeof...(Values)> takes{passed<Values>::kind()...};
    return signature_of(passed<Result>::kind(), takes);
  }();
  return words;
}

/// Calls a function with values that are bytes, and appends what it gives.
using function_of_bytes = std::function<void(std::span<const std::byte> given, std::vector<std::byte>& result)>;

/// What is called, and from where.
struct called {
  std::string_view name;
  const std::string& signature;
  std::span<const std::byte> given;
  location where;
};

template <class Result>
Result result_from(const std::vector<std::byte>& bytes) {
  static_assert(std::is_void_v<Result> || std::same_as<Result, typename passed<Result>::kept>,
                "what comes back has no other owner: name a std::string, a std::vector or an object");
  if constexpr (!std::is_void_v<Result>) return value_reader(bytes).next<Result>();
}

/// `call(what)` gives the bytes of the result.
template <class Result, class Call, class... Values>
Result call_by_value(std::string_view name, location where, const Call& call, const Values&... values) {
  std::vector<std::byte> given;
  (append_value(given, values), ...);
  return result_from<Result>(call({name, signature<Result, Values...>(), given, where}));
}

template <class Result, class... Parameters>
function_of_bytes by_value(std::function<Result(Parameters...)> function) {
  static_assert((... && (!std::is_reference_v<Parameters> || std::is_const_v<std::remove_reference_t<Parameters>>)),
                "a host's function gets values: take them by value, or by reference to const");
  static_assert((... && std::is_convertible_v<typename passed<std::remove_cvref_t<Parameters>>::kept&&, Parameters>),
                "take an array as a std::span of const elements or a std::vector, and a text as a std::string or a "
                "std::string_view");
  return [function = std::move(function)](std::span<const std::byte> given, std::vector<std::byte>& result) {
    [[maybe_unused]] value_reader from(given);
    std::tuple<typename passed<std::remove_cvref_t<Parameters>>::kept...> values{
        from.next<std::remove_cvref_t<Parameters>>()...};  // from left to right, since in braces
    if constexpr (std::is_void_v<Result>)
      std::apply(function, std::move(values));
    else
      append_value(result, std::apply(function, std::move(values)));
  };
}
template <class Result, class... Parameters>
const std::string& signature_of_function(const std::function<Result(Parameters...)>&) {
  return signature<std::remove_cvref_t<Result>, std::remove_cvref_t<Parameters>...>();
}

struct host_access;
class host_functions;

}  // namespace detail

/// The name of a function that is called, and where.
class function_name {
 public:
  template <detail::text Text>
  function_name(const Text& name, location where = location::current())  // NOLINT: a text is a name
      : text_(name), where_(where) {}
  /// Gives the name.
  std::string_view text() const noexcept { return text_; }
  /// Gives where it was called.
  location where() const noexcept { return where_; }

 private:
  std::string_view text_;
  location where_;
};

/// Functions that ranks call by their names (`communicator::call`). A host has a thread that runs them one at a time,
/// in the order in which they were called; they may block. Values go there and back as copies.
class host {
 public:
  /// Calls of functions that this host does not have go to `further`, which must be there longer. Throws `error` where
  /// the system has no thread.
  MASLIN_API explicit host(host* further = nullptr, location where = location::current());
  /// All ranks that use it have ended.
  MASLIN_API ~host();
  host(const host&) = delete;
  host& operator=(const host&) = delete;

  /// Ranks may call `function` by that name from now on. It takes and gives texts (`std::string`), arrays
  /// (`std::vector`, or `std::span` of const elements) and objects that can be copied as bytes. What it throws is
  /// thrown in the rank, as an `error` with its words. Throws `error` if there is a function of that name.
  template <class Function>
  void offer(std::string_view name, Function&& function, location where = location::current()) {
    std::function whole(std::forward<Function>(function));
    const std::string& signature = detail::signature_of_function(whole);
    const bool is_empty = !whole;
    add(name, signature, is_empty ? detail::function_of_bytes() : detail::by_value(std::move(whole)), where);
  }
  /// For functions of this host, while they run: calls one of a host further out, as `communicator::call` does.
  template <class Result = void, class... Values>
  Result call_further(function_name name, const Values&... values) {
    return detail::call_by_value<Result>(
        name.text(), name.where(), [this](const detail::called& what) { return call(what); }, values...);
  }

 private:
  friend struct detail::host_access;
  MASLIN_API void add(std::string_view name, const std::string& signature, detail::function_of_bytes function,
                      location where);
  MASLIN_API std::vector<std::byte> call(const detail::called& what);
  std::unique_ptr<detail::host_functions> its_;  ///< and the thread that runs them
};

}  // namespace maslin
