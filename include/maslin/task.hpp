#pragma once
// Tasks: functions that run once, when their data is there and a worker has time.

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
#include "maslin/api.hpp"
#include "maslin/body.hpp"
#include "maslin/float_mode.hpp"
#include "maslin/frame.hpp"
#include "maslin/in_place.hpp"
#include "maslin/location.hpp"

namespace maslin {

class group;

/// An argument of `task` that is no argument of its body: among tasks that are ready, those of a higher priority go
/// first. Tasks without one have priority 0; what is 0 or less is not ordered, nor is what is 32,767 or more.
/// From the moment at which a task of positive priority is ready, a worker that begins a task begins this one or one of
/// at least its priority. Not bound by that are tasks that their creator runs before their creation returns, because
/// they are too small to be handed over or very many are in flight, and recordings that are replayed in program order.
/// A task that has begun is never interrupted.
struct priority {
  int value = 0;
};

namespace detail {

struct task_node;
struct version;

/// An access as the graph sees it: `columns` runs of `bytes`, one every `stride` bytes.
struct declared {
  void* data;
  std::size_t bytes;
  std::size_t columns;
  std::size_t stride;
  access_mode mode;
  bool renames;                   ///< an out of data that may lie elsewhere
  const reduction_kind* reduces;  ///< of a reduction
};

/// In the list of who waits for a task. `to`: the waiting task's node; bit 0: for its data, so that a failure passes
/// on; bit 1: the edge is a block of its own.
struct edge {
  edge* next;
  std::uintptr_t to;
};

/// What a task keeps of an access: where its body finds the data, and the first edge that made it wait.
struct access_record {
  void* data;
  version* of;  ///< null: the program's own memory
  edge link;
};
/// Gives the distance between columns where the data lies now, in bytes; `declared_stride` in the program's own memory.
MASLIN_API std::size_t stride_of(const access_record& record, std::size_t declared_stride);

/// Room for one task: the executor's part, a record for each access, and the callable.
struct task_storage {
  void* node;
  access_record* records;
  void* callable;
  std::uint32_t bytes;
};
MASLIN_API task_storage allocate_task(std::size_t bytes, std::size_t alignment, std::size_t accesses);
MASLIN_API void discard_task(const task_storage& storage) noexcept;

/// What a task does with its callable: a cancelled one only destroys it, a recorded one calls it many times. With
/// `describe` the callable's place is taken by a task_facts.
enum class body_use : unsigned char { destroy = 1, call = 2, call_and_destroy = 3, describe = 4 };

/// What a task tells of itself, for messages and checks.
struct task_facts {
  void* callable;
  declared* accesses;          ///< room for all; gets what they declare and where the data lies now
  std::size_t described = 0;   ///< how many it got
  const char* body = nullptr;  ///< the body's type, in the compiler's words (`name_of`)
};

struct task_description {
  task_function run;
  group* in;
  location where;
  int priority;
  const declared* accesses;
  std::size_t access_count;
  bool may_reduce = true;  ///< false: no access is a reduction
};
/// Makes the task a child of the caller (or a member of a group) and lets it run when its data is there.
MASLIN_API void submit_task(const task_storage& storage, const task_description& what);

/// A task that its creator runs before it goes on, on its own stack.
struct task_frame : branch_frame {
  const task_description* what;
  std::uint64_t place;               ///< in program order
  std::uint64_t began;               ///< in ticks; 0: it is not timed
  alignas(4) std::byte rounding[4];  ///< room for its creator's rounding mode
  bool is_in_place;                  ///< its group's creator counts it (maslin/in_place.hpp)
};

/// How a new task starts. Its creator runs it before it goes on if the task waits for nothing and is too small to be
/// handed over, or very many are in flight.
enum class start : unsigned char {
  handed_over,
  at_once,       ///< by `run_at_once`
  tiny_at_once,  ///< the same, and its body takes less than handing it over
  begun          ///< at once, and its frame is open: by a call, then `end_at_once`
};
/// `frame`: null where the task cannot begin here.
MASLIN_API start start_task(const task_description& what, task_frame* frame) noexcept;
/// Calls `callable`, as a task that was created now. `records` has room for its accesses.
MASLIN_API void run_at_once(const task_description& what, void* callable, access_record* records, bool tiny);
/// The body has returned.
MASLIN_API void end_at_once(task_frame& frame) noexcept;
/// In a handler: the body has thrown.
MASLIN_API void fail_at_once(task_frame& frame) noexcept;

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
constexpr bool renames = (Mode == access_mode::out) && std::is_trivially_copyable_v<T>;

template <class T, access_mode Mode>
struct kept_view {
  using passed = passes<view<T>>;
  static constexpr std::size_t accesses = 1;
  explicit kept_view(view<T> v) : extent(v.size()) {}
  view<T> get(const access_record* record) const { return {static_cast<T*>(record->data), extent}; }
  declared describe(const access_record* record) const {
    const std::size_t bytes = extent * sizeof(T);
    return {record->data, bytes, 1, bytes, Mode, renames<T, Mode>, nullptr};
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
    return {record->data, rows * sizeof(T), cols, now.ld * sizeof(T), Mode, renames<T, Mode>, nullptr};
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
    return declare_array<T>(record->data, memory, stride_of(*record, memory.stride), Mode);
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
    for (std::size_t i = 0; i < extent; ++i) new (static_cast<T*>(value) + i) T(identity_of<Operation, T>::value);
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

/// Room for what is said of each access: on the stack where their number is known to the compiler.
template <class Each, std::size_t Accesses, bool HasLists>
struct room_for {
  explicit room_for(std::size_t) {}
  Each each[Accesses + 1];
};
template <class Each, std::size_t Accesses>
struct room_for<Each, Accesses, true> {
  explicit room_for(std::size_t count) : each(std::make_unique<Each[]>(count + 1)) {}
  std::unique_ptr<Each[]> each;
};

/// To make one neither fails nor calls anything, nor does its end. A pointer to a member could be one: but GCC 12,
/// which sees it called, warns of a virtual call that there is not.
template <class Stored>
constexpr bool is_plain = std::is_trivially_copyable_v<Stored> && !std::is_member_pointer_v<Stored>;
template <class F, class... Arguments>
inline constexpr bool is_plain<stored_call<F, Arguments...>> = (is_plain<F> && ... &&
                                                                std::is_trivially_copyable_v<kept<Arguments>>);

template <class A>
constexpr bool may_be_reduction = is_access_list<A>;
template <class T, class Operation>
inline constexpr bool may_be_reduction<reduction_access<T, Operation>> = true;

/// Makes a task of `Stored`, constructed from `from`.
template <class Stored, std::size_t Accesses, bool HasLists, class... From>
void spawn(const task_description& what, From&&... from) {
  constexpr bool begins_here = !HasLists && is_plain<Stored>;  // the callable is made when the task has begun
  std::conditional_t<begins_here, task_frame, int> frame;
  start how;
  if constexpr (begins_here) {
    how = start_task(what, &frame);
    if (how == start::begun) {
      Stored callable(std::forward<From>(from)...);
      room_for<access_record, Accesses, false> records(0);
      for (std::size_t i = 0; i < Accesses; ++i) {
        records.each[i].data = what.accesses[i].data;
        records.each[i].of = nullptr;
      }
      try {
        call_stored(callable, records.each);
      } catch (...) {
        return fail_at_once(frame);
      }
      return end_at_once(frame);
    }
  } else {
    how = start_task(what, nullptr);
  }
  if (how != start::handed_over) {
    Stored callable(std::forward<From>(from)...);
    room_for<access_record, Accesses, HasLists> records(what.access_count);
    return run_at_once(what, std::addressof(callable), &records.each[0], how == start::tiny_at_once);
  }
  const task_storage storage = allocate_task(sizeof(Stored), alignof(Stored), HasLists ? what.access_count : Accesses);
  try {
    new (storage.callable) Stored(std::forward<From>(from)...);
  } catch (...) {
    discard_task(storage);
    throw;
  }
  submit_task(storage, what);
}

/// The body of a task in `runs_kept` has needed a context, or, in a handler, has thrown.
MASLIN_API void end_kept(task_frame& frame, const task_description& what, bool has_thrown) noexcept;

/// Runs a new task of the group if its creator may without asking (src/task/README.md); gives whether it did. Otherwise
/// the callable is as it was.
template <class Body, class F>
[[gnu::always_inline]] inline bool runs_kept(F&& f, group& in, const location& where);

/// A task without arguments.
template <class F>
void spawn_plain(F&& f, group* in, location where) {
  using body = std::decay_t<F>;
  if constexpr (fits<body, passes<>>) {
    expect_body<body>(f, "task", where);
    if constexpr (is_plain<body>)
      if (in && runs_kept<body>(std::forward<F>(f), *in, where)) return;
    spawn<body, 0, false>({use_stored<body>, in, where, 0, nullptr, 0}, std::forward<F>(f));
  } else {
    task_body<body, typename parameters_of<body>::type, passes<>>();
  }
}

/// A task with arguments.
template <class F, class... Arguments>
void spawn_with(F&& f, group* in, Arguments&&... arguments) {
  using body = std::decay_t<F>;
  using passed = passed_to_body<std::decay_t<Arguments>...>;
  if constexpr (fits<body, passed>) {
    using stored = stored_call<body, std::decay_t<Arguments>...>;
    std::size_t count = stored::accesses;
    if constexpr (stored::has_lists) count += (std::size_t{0} + ... + length_of(arguments));
    room_for<declared, stored::accesses, stored::has_lists> accesses(count);
    declared* next = &accesses.each[0];
    const location where = place_of(arguments...);
    int rank = 0;
    (note(arguments, next, rank), ...);
    expect_body<body>(f, "task", where);
    constexpr bool may_reduce = (false || ... || may_be_reduction<std::decay_t<Arguments>>);
    spawn<stored, stored::accesses, stored::has_lists>(
        {use_stored<stored>, in, where, rank, &accesses.each[0], count, may_reduce}, std::forward<F>(f),
        std::forward<Arguments>(arguments)...);
  } else {
    task_body<body, typename parameters_of<body>::type, passed>();
  }
}

}  // namespace detail

/// A set of tasks that can be waited for. The destructor waits, also while an exception unwinds; what its tasks threw
/// and no `wait` rethrew goes to the caller's next covering wait. A group may outlive the stream that made it. If it is
/// a local variable of the stream's code, its tasks are part of the stream; those of any other group are nobody's:
/// their off-loads do not count in the sizing of the phase.
class group {
 public:
  struct state;  // the executor's part

  group() noexcept {
    const detail::thread_state& on = detail::this_thread();
    const detail::branch_frame* const code = on.forks->innermost;
    const bool has_no_stream = !on.current && code && code->is_task() && !code->stream;
    creator_ = caller(on);
    stream_ = has_no_stream ? nullptr : stream_of(this);
  }
  ~group() {
    if (!is_over()) end();
  }
  group(const group&) = delete;
  group& operator=(const group&) = delete;

  /// Creates a task in this group; otherwise as `maslin::task`.
  template <class F>
  void task(F&& f, location where = location::current()) {
    detail::spawn_plain(std::forward<F>(f), this, where);
  }
  template <class F, class A, class... Arguments>
    requires(!std::same_as<std::decay_t<A>, location>)
  void task(F&& f, A&& first, Arguments&&... rest) {
    detail::spawn_with(std::forward<F>(f), this, std::forward<A>(first), std::forward<Arguments>(rest)...);
  }
  /// Returns when every task of the group and all their descendants are done; rethrows the earliest exception. Gives
  /// whether all were to run: false where the group was cancelled. After that it is no longer.
  bool wait() {
    if (is_over() && is_in_task(detail::this_thread())) [[likely]]
      return true;
    return wait_for_members();
  }
  /// Until the group's `wait` has returned, tasks whose bodies have not begun do not run, nor do tasks that are created
  /// meanwhile. A body that has begun runs to its end, and so does what it creates outside the group. What tasks that
  /// did not run would have written is unspecified: a task outside the group that would read it is cancelled, and the
  /// wait for that throws `error`. May be called from any thread and any task, also of the group.
  MASLIN_API void cancel() noexcept;
  /// Has `cancel` been called since the last `wait`? For bodies that have begun and can stop early.
  MASLIN_API bool cancelled() const noexcept;

  /// Made now where it was not.
  state& get() {
    if (!has_state_.load(std::memory_order_acquire)) make_state();
    return *reinterpret_cast<state*>(state_);
  }
  /// Null where it was not needed yet.
  const state* known() const noexcept {
    return has_state_.load(std::memory_order_acquire) ? reinterpret_cast<const state*>(state_) : nullptr;
  }

 private:
  template <class Body, class F>
  friend bool detail::runs_kept(F&& f, group& in, const location& where);

  /// Names the calling code's fiber, or its thread where it runs on none: what is one at a time.
  static const void* caller(const detail::thread_state& on) noexcept {
    return on.forks->has_room() ? static_cast<const void*>(on.forks) : &on;
  }
  /// Is the caller a task that its creator runs, and has no context yet?
  static bool is_in_task(const detail::thread_state& on) noexcept {
    return !on.current && on.forks->innermost && on.forks->innermost->is_task();
  }
  /// Has its creator run all members itself, and did none throw? In this order: what the members made is visible once
  /// they are over.
  bool is_over() const noexcept { return in_place_.are_over() && !has_state_.load(std::memory_order_acquire); }

  MASLIN_API static void* stream_of(const group* variable) noexcept;
  MASLIN_API void make_state() noexcept;
  MASLIN_API void end();
  MASLIN_API bool wait_for_members();

  detail::in_place_members_of<std::atomic> in_place_;  ///< members that the creator runs itself
  const void* creator_;  ///< who made it, whose code counts its members without a locked instruction
  /// Its tasks', whoever creates them: that of a stream which creates some may end before them. It is the stream of the
  /// code that declared it as a local variable, which is gone, and has waited, when that code ends. Any other group may
  /// outlive the stream in which it was made, so it has none: its tasks' off-loads are nobody's in the sizing of
  /// phases.
  void* stream_;
  std::atomic<bool> has_state_{false};
  alignas(8) std::byte state_[56];
};

namespace detail {

template <class Body, class F>
inline bool runs_kept(F&& f, group& in, const location& where) {
  fork_list& list = *this_thread().forks;
  if (list.kept.left == 0 || !list.kept.are_of(use_stored<Body>, where.line()) || in.creator_ != &list ||
      !group::is_in_task(this_thread()) || in.has_state_.load(std::memory_order_relaxed) ||
      list.asked->tasks.load(std::memory_order_relaxed) ||
      reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < list.low)
    return false;
  --list.kept.left;
  task_frame frame;
  frame.place = in.in_place_.begin();
  frame.run = nullptr;
  frame.inside = nullptr;
  frame.stream = in.stream_;
  frame.open(list, this_thread());
  const auto end = [&](bool has_thrown) {
    end_kept(frame, {use_stored<Body>, &in, where, 0, nullptr, 0}, has_thrown);
    return true;
  };
  try {
    const kept_rounding creators;
    Body body(std::forward<F>(f));
    body();
  } catch (...) {
    return end(true);
  }
  if (frame.inside) [[unlikely]]
    return end(false);
  list.innermost = frame.outside;
  in.in_place_.end(in_place_awaited, wake_in_place);
  return true;
}

}  // namespace detail

/// Creates a task that calls `f()` once. The callable is copied or moved into the task. The caller goes on; `wait()`
/// covers it. A task is done when its body has returned and all tasks it created are done. Where very many are in
/// flight, or its call site's tasks are too small to be handed over, the caller runs it before it goes on. A body has a
/// stack of 1 MiB unless MASLIN_STACK says otherwise (docs/tasks.md).
template <class F>
void task(F&& f, location where = location::current()) {
  detail::spawn_plain(std::forward<F>(f), nullptr, where);
}

/// The same with arguments. An access (`in(x)`, `out(x)`, `inout(x)`, `concurrent(x)`, `reduction(x)`) reaches the body
/// as a view, a std::vector of accesses as a view of their views; a `priority` does not reach it; anything else is
/// copied into the task and reaches the body as const. The task runs when the tasks that the same caller created
/// before, and whose accesses conflict with its own, are done (CellSs, section 3): a read waits for the last write; a
/// write waits for earlier reads and writes, unless it is an `out`, which gets memory of its own instead. If one whose
/// data it would read throws, it is cancelled.
template <class F, class A, class... Arguments>
  requires(!std::same_as<std::decay_t<A>, location>)
void task(F&& f, A&& first, Arguments&&... rest) {
  detail::spawn_with(std::forward<F>(f), nullptr, std::forward<A>(first), std::forward<Arguments>(rest)...);
}

/// Returns when every task that the caller created, and all their descendants, are done; what they wrote is where the
/// program declared it. Rethrows the exception that is earliest in program order; `other_exceptions()` gives the rest.
MASLIN_API void wait();

namespace detail {
MASLIN_API void wait_on_data(const declared& data, location where);
}
/// Returns when the data (a range, a tile, one object, or what an access names) has its value and lies where the
/// program declared it: when the caller's tasks that write it are done. If they threw or were cancelled, throws
/// `error`; the next `wait()` says what they threw.
template <class R>
void wait_on(R&& r, location where = location::current()) {
  if constexpr (detail::is_access<std::remove_cvref_t<R>>::value)
    detail::wait_on_data(detail::declare(in(r.region)), where);
  else
    detail::wait_on_data(detail::declare(in(std::forward<R>(r))), where);
}

}  // namespace maslin
