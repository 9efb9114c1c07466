#pragma once
// The callable of a task: its body, what it keeps of each argument, and whether the body takes what it is called with.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "maslin/access.hpp"
#include "maslin/body.hpp"
#include "maslin/location.hpp"
#include "maslin/priority.hpp"
#include "maslin/task_description.hpp"

namespace maslin::detail {

/// What a body is called with.
template <class... Passed>
struct passes {};
template <class... A, class... B>
passes<A..., B...> operator+(passes<A...>, passes<B...>);

/// Says what a call of `task` keeps for one argument, and gives it to the body. A copy is const: what a body would
/// write there, nobody reads.
template <class A>
struct kept {
  using passed = passes<const A&>;
  static constexpr std::size_t accesses = 0;
  explicit kept(const A& argument) : value(argument) {}
  explicit kept(A&& argument) : value(std::move(argument)) {}
  const A& get(const access_record*) const { return value; }
  A value;
};
template <>
struct kept<priority> {
  using passed = passes<>;
  static constexpr std::size_t accesses = 0;
  explicit kept(priority) {}
};
/// Is a version of the data elsewhere as good?
template <class T, access_mode Mode>
constexpr bool renames = (Mode == access_mode::out) && std::is_trivially_copyable_v<T> && alignof(T) <= 64;
/// May the body work on a copy, which is copied back? Not where others look at the data meanwhile, as at an atomic.
template <class T>
constexpr bool moves_as_bytes =
    std::is_trivially_copyable_v<T>&& std::is_copy_constructible_v<T> && !std::is_volatile_v<T> && alignof(T) <= 64;

template <class T, access_mode Mode>
struct kept_view {
  using passed = passes<view<T>>;
  static constexpr std::size_t accesses = 1;
  explicit kept_view(view<T> v) : extent(v.size()) {}
  view<T> get(const access_record* record) const { return {static_cast<T*>(record->data), extent}; }
  declared describe(const access_record* record) const {
    const std::size_t bytes = extent * sizeof(T);
    return {record->data, bytes, 1, bytes, Mode, moves_as_bytes<T>, nullptr};
  }
  std::size_t extent;
};
template <class T, access_mode Mode>
struct kept<access<view<T>, Mode>> : kept_view<T, Mode> {
  explicit kept(const access<view<T>, Mode>& a) : kept_view<T, Mode>(a.region) {}
};
template <class T, class Operation>
struct kept<reduction_access<T, Operation>> : kept_view<T, access_mode::reduction> {
  explicit kept(const reduction_access<T, Operation>& a) : kept_view<T, access_mode::reduction>(a.region) {}
};
template <class T, access_mode Mode>
struct kept<access<tile<T>, Mode>> {
  using passed = passes<tile<T>>;
  static constexpr std::size_t accesses = 1;
  explicit kept(const access<tile<T>, Mode>& a) : rows(a.region.rows), cols(a.region.cols), ld(a.region.ld) {}
  tile<T> get(const access_record* record) const {
    return {static_cast<T*>(record->data), rows, cols, stride_of(*record, ld * sizeof(T)) / sizeof(T)};
  }
  declared describe(const access_record* record) const {
    const tile<T> now = get(record);
    return {record->data, rows * sizeof(T), cols, now.ld * sizeof(T), Mode, moves_as_bytes<T>, nullptr};
  }
  std::size_t rows, cols, ld;
};

template <class T>
declared declare_array(void* lowest, const array_memory& memory, std::size_t stride, access_mode mode) {
  // An `out` writes no more than the elements, so what lies between keeps its values.
  const bool whole = memory.exact || mode != access_mode::out;
  return {lowest,
          memory.bytes,
          memory.columns,
          stride,
          whole ? mode : access_mode::inout,
          mode == access_mode::out && whole && std::is_trivially_copyable_v<T>,
          nullptr};
}
template <class T, std::size_t Rank, access_mode Mode>
struct kept<access<ndarray<T, Rank>, Mode>> {
  using passed = passes<ndarray<T, Rank>>;
  static constexpr std::size_t accesses = 1;
  explicit kept(const access<ndarray<T, Rank>, Mode>& a) : array(a.region) {}
  ndarray<T, Rank> get(const access_record* record) const {
    const array_memory memory = memory_of(array);
    return laid_out_at(record->data, array, memory, stride_of(*record, memory.stride));
  }
  declared describe(const access_record* record) const {
    const array_memory memory = memory_of(array);
    declared said = declare_array<T>(record->data, memory, stride_of(*record, memory.stride), Mode);
    said.renames = moves_as_bytes<T>;
    return said;
  }
  ndarray<T, Rank> array;  ///< as it was declared
};

/// A list of accesses whose length is known when the program runs. The body gets a view of their views.
template <class A>
constexpr bool is_access_list = false;
template <class A, class Allocator>
inline constexpr bool is_access_list<std::vector<A, Allocator>> = is_access<A>::value;
template <class A>
inline constexpr bool is_access_list<kept<A>> = is_access_list<A>;
template <class View>
View only_of(passes<View>);
/// Gives the number of accesses in such a list, or in what is kept of it; of anything else, 0.
template <class A>
std::size_t length_of(const A& argument) {
  if constexpr (is_access_list<A>)
    return argument.size();
  else
    return 0;
}

template <class A, class Allocator>
  requires is_access_list<std::vector<A, Allocator>>
struct kept<std::vector<A, Allocator>> {
  using one = decltype(only_of(typename kept<A>::passed()));
  using passed = passes<view<const one>>;
  static constexpr std::size_t accesses = 0;  ///< besides `size()`
  explicit kept(const std::vector<A, Allocator>& list) : each(list.begin(), list.end()) { views.reserve(list.size()); }
  std::size_t size() const { return each.size(); }
  view<const one> get(const access_record* records) {
    views.clear();
    for (std::size_t i = 0; i < each.size(); ++i) views.push_back(each[i].get(records + i));
    return views;
  }
  std::vector<kept<A>> each;
  std::vector<one> views;
};

template <class T>
void* writable(T* data) {
  return const_cast<void*>(static_cast<const void*>(data));
}
template <class T, access_mode Mode>
declared declare(const access<view<T>, Mode>& a) {
  return {writable(a.region.data()), a.region.size_bytes(), 1, a.region.size_bytes(), Mode, renames<T, Mode>, nullptr};
}
template <class T, access_mode Mode>
declared declare(const access<tile<T>, Mode>& a) {
  return {writable(a.region.data),
          a.region.rows * sizeof(T),
          a.region.cols,
          a.region.ld * sizeof(T),
          Mode,
          renames<T, Mode>,
          nullptr};
}
template <class T, std::size_t Rank, access_mode Mode>
declared declare(const access<ndarray<T, Rank>, Mode>& a) {
  const array_memory memory = memory_of(a.region);
  auto* const data = static_cast<std::byte*>(writable(a.region.data()));
  return declare_array<T>(data + memory.lowest, memory, memory.stride, Mode);
}
template <class T, class Operation>
struct reduction_of {
  static void begin(void* value, std::size_t extent) {
    for (std::size_t i = 0; i < extent; ++i)
      ::new (static_cast<void*>(static_cast<T*>(value) + i)) T(identity_of<Operation, T>::value);
  }
  static void combine(void* into, const void* value, std::size_t extent) {
    T* to = static_cast<T*>(into);
    const T* from = static_cast<const T*>(value);
    for (std::size_t i = 0; i < extent; ++i) to[i] = Operation{}(to[i], from[i]);
  }
  static constexpr reduction_kind kind{sizeof(T), begin, combine};
};
template <class T, class Operation>
declared declare(const reduction_access<T, Operation>& a) {
  return {a.region.data(),
          a.region.size_bytes(),
          1,
          a.region.size_bytes(),
          access_mode::reduction,
          false,
          &reduction_of<T, Operation>::kind};
}

/// Notes what an argument says to the graph.
template <class A>
void note(const A& argument, declared*& next, int& rank) {
  if constexpr (std::is_same_v<A, priority>) {
    rank = argument.value;
  } else if constexpr (is_access_list<A>) {
    for (const auto& one : argument) note(one, next, rank);
  } else if constexpr (is_access<A>::value) {
    *next++ = declare(argument);
  }
}

/// Gives where a call stands: its last access knows.
template <class... Arguments>
location place_of(const Arguments&... arguments) {
  location where;
  const auto look = [&]<class A>(const A& argument) {
    if constexpr (is_access_list<A>) {
      if (!argument.empty()) where = argument.back().where;
    } else if constexpr (is_access<A>::value) {
      where = argument.where;
    }
  };
  (look(arguments), ...);
  return where;
}

/// The callable of a task with arguments: its body and what it keeps of each of them.
template <class F, class... Arguments>
struct stored_call {
  static constexpr std::size_t accesses = (0 + ... + kept<Arguments>::accesses);
  static constexpr bool has_lists = (false || ... || is_access_list<Arguments>);

  template <class G, class... Given>
  explicit stored_call(G&& function, Given&&... given)
      : body(std::forward<G>(function)), arguments(kept<Arguments>(std::forward<Given>(given))...) {}

  void operator()(const access_record* records) { call(records, std::index_sequence_for<Arguments...>{}); }

  void describe(const access_record* records, task_facts& facts) const {
    const auto one = [&](const auto& access) {
      facts.accesses[facts.described] = access.describe(records + facts.described);
      ++facts.described;
    };
    const auto each = [&](const auto& argument) {
      if constexpr (requires { argument.each; })
        for (const auto& access : argument.each) one(access);
      else if constexpr (std::decay_t<decltype(argument)>::accesses > 0)
        one(argument);
    };
    std::apply([&](const auto&... all) { (each(all), ...); }, arguments);
  }

 private:
  /// The number of accesses before argument `i`: which record is its own.
  static constexpr std::size_t before(std::size_t i) {
    constexpr std::size_t each[] = {kept<Arguments>::accesses..., 0};
    std::size_t sum = 0;
    for (std::size_t k = 0; k < i; ++k) sum += each[k];
    return sum;
  }
  /// How many more there are, of lists.
  template <std::size_t... K>
  std::size_t in_lists_before(std::index_sequence<K...>) const {
    return (std::size_t{0} + ... + length_of(std::get<K>(arguments)));
  }
  template <std::size_t I>
  auto passed(const access_record* records) {
    using argument = std::tuple_element_t<I, std::tuple<kept<Arguments>...>>;
    if constexpr (std::is_same_v<typename argument::passed, passes<>>) {
      return std::tuple<>();
    } else {
      if constexpr (has_lists) records += in_lists_before(std::make_index_sequence<I>());
      decltype(auto) value = std::get<I>(arguments).get(records + before(I));
      return std::tuple<decltype(value)>(std::forward<decltype(value)>(value));
    }
  }
  template <std::size_t... I>
  void call(const access_record* records, std::index_sequence<I...>) {
    std::apply(body, std::tuple_cat(passed<I>(records)...));
  }

  [[no_unique_address]] F body;
  [[no_unique_address]] std::tuple<kept<Arguments>...> arguments;
};

/// The parameters of a body, where it has one list of them; else the body's type.
template <class... Parameters>
struct takes {};
template <class F>
struct parameters_of {
  using type = F;
};
template <class R, class... P>
struct parameters_of<R (*)(P...)> {
  using type = takes<P...>;
};
template <class R, class C, class... P>
struct parameters_of<R (C::*)(P...)> : parameters_of<R (*)(P...)> {};
template <class R, class C, class... P>
struct parameters_of<R (C::*)(P...) const> : parameters_of<R (*)(P...)> {};
template <class F>
  requires requires { &F::operator(); }
struct parameters_of<F> : parameters_of<decltype(&F::operator())> {};

template <class Reference>
using without_const = std::conditional_t<std::is_lvalue_reference_v<Reference>,
                                         std::remove_const_t<std::remove_reference_t<Reference>>&, Reference>;
template <class F, class Passed>
constexpr bool fits = false;
template <class F, class... Passed>
inline constexpr bool fits<F, passes<Passed...>> = std::is_invocable_v<F&, Passed...>;
template <class F, class Passed>
constexpr bool changes_copies = false;
template <class F, class... Passed>
inline constexpr bool changes_copies<F, passes<Passed...>> = std::is_invocable_v<F&, without_const<Passed>...>;

/// Ends the compilation where a body does not take what a call of `task` passes. Compilers name both in their message.
template <class F, class TheBody, class TheCall>
struct task_body {
  static_assert(!changes_copies<F, TheCall>,
                "The body of a task takes an argument by a reference that is not const, but the task has a copy of its "
                "own, so changes would be lost. Take it by value or by const reference; declare what the task changes "
                "with out() or inout(), or pass std::ref().");
  static_assert(
      changes_copies<F, TheCall>,
      "The body of a task does not take what the call passes. in(x) arrives as view<const T>; out(x), "
      "inout(x), concurrent(x) and reduction(x) as view<T>; a tile as tile<const T> or tile<T>, an ndarray likewise; "
      "anything else as a const copy; a priority does not arrive. Both lists are named in this message: takes, "
      "passes.");
};

/// What a body is called with by a call of `task` with these arguments.
template <class... Arguments>
using passed_to_body = decltype((passes<>() + ... + typename kept<Arguments>::passed()));

/// Gives a text in which the compiler names `F`.
template <class F>
constexpr const char* name_of(const F*) {
  return __PRETTY_FUNCTION__;
}
template <class F, class... Arguments>
constexpr const char* name_of(const stored_call<F, Arguments...>*) {
  return name_of(static_cast<const F*>(nullptr));
}

/// Calls a stored callable.
template <class Stored>
void call_stored(Stored& body, const access_record* records) {
  if constexpr (std::is_invocable_v<Stored&>)
    body();
  else
    body(records);
}

/// The task_function of a stored callable.
template <class Stored>
void use_stored(void* at, const access_record* records, body_use use) {
  if (use == body_use::describe) {
    auto& facts = *static_cast<task_facts*>(at);
    facts.body = name_of(static_cast<const Stored*>(nullptr));
    if constexpr (requires(const Stored& body) { body.describe(records, facts); })
      static_cast<const Stored*>(facts.callable)->describe(records, facts);
    return;
  }
  auto* body = static_cast<Stored*>(at);
  struct destroy {
    Stored* body;
    ~destroy() {
      if (body) body->~Stored();
    }
  } guard{use == body_use::call ? nullptr : body};
  if (use == body_use::destroy) return;
  call_stored(*body, records);
}

}  // namespace maslin::detail
