// Tasks, waits and groups as C sees them.

#include "maslin/task.hpp"

#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "c_api/access.hpp"
#include "c_api/boundary.hpp"

struct maslin_group {
  maslin::group tasks;
};

namespace maslin::c_api {

namespace {

using detail::access_record;
using detail::body_use;
using detail::declared;

/// What a task keeps of an access, besides the view that its body receives.
struct said_access {
  std::int64_t ld;
  access_mode mode;
};

/// The callable of a task. Behind it lie a view and a `said_access` for each access, and the arguments; nothing of it
/// needs an end.
struct alignas(std::max_align_t) stored_call {
  maslin_task_body body;
  maslin_location where;
  std::size_t count;  ///< of accesses
  bool has_arguments;

  /// Gives the bytes in front of the arguments.
  static constexpr std::size_t front(std::size_t accesses) {
    constexpr std::size_t unit = alignof(std::max_align_t);
    const std::size_t used = sizeof(stored_call) + accesses * (sizeof(maslin_view) + sizeof(said_access));
    return (used + unit - 1) / unit * unit;
  }
  maslin_view* views() { return reinterpret_cast<maslin_view*>(this + 1); }
  said_access* said() { return reinterpret_cast<said_access*>(views() + count); }
  void* arguments() { return reinterpret_cast<char*>(this) + front(count); }

  /// Gives the elements between columns where the data lies now: of a version they are its own, of the program's memory
  /// as declared.
  std::int64_t ld_now(std::size_t i, const access_record* records) {
    const auto unit = static_cast<std::int64_t>(views()[i].element);
    return static_cast<std::int64_t>(detail::stride_of(records[i], static_cast<std::size_t>(said()[i].ld * unit))) /
           unit;
  }

  void call(const access_record* records) {
    maslin_view* all = views();
    for (std::size_t i = 0; i < count; ++i) {
      all[i].data = records[i].data;
      all[i].ld = ld_now(i, records);
    }
    begin_body();
    const int value = body(has_arguments ? arguments() : nullptr, all);
    if (value != 0) throw_value("the task created at " + text(where), value);
  }

  /// May be asked while the body runs: reads nothing that `call` writes. The body has no name in C.
  void describe(const access_record* records, detail::task_facts& facts) {
    for (std::size_t i = 0; i < count; ++i) {
      const maslin_view& v = views()[i];
      facts.accesses[facts.described++] = {records[i].data,
                                           static_cast<std::size_t>(v.rows) * v.element,
                                           static_cast<std::size_t>(v.columns),
                                           static_cast<std::size_t>(ld_now(i, records)) * v.element,
                                           said()[i].mode,
                                           true,
                                           nullptr};
    }
  }
};

/// The task_function of a stored call.
void use_call(void* at, const access_record* records, body_use what) {
  switch (what) {
    case body_use::call:
    case body_use::call_and_destroy:
      return static_cast<stored_call*>(at)->call(records);
    case body_use::describe: {
      auto& facts = *static_cast<detail::task_facts*>(at);
      return static_cast<stored_call*>(facts.callable)->describe(records, facts);
    }
    case body_use::destroy:
      return;
  }
}

void create_task(maslin_location where, maslin_task_body body, const void* arguments, std::size_t bytes,
                 const maslin_access* accesses, int access_count, const maslin_task_options* given) {
  const maslin_task_options options = read_options(given);
  expect(body, "body is NULL: expected a function");
  expect(arguments || bytes == 0, "arguments is NULL, and bytes is not 0: expected what is to be copied");
  if (access_count < 0) throw bad_argument("access_count = " + std::to_string(access_count) + ": expected 0 or more");
  expect(accesses || access_count == 0, "accesses is NULL, and access_count is not 0: expected the accesses");
  using rank = std::numeric_limits<std::int16_t>;
  if (options.priority < rank::min() || options.priority > rank::max())
    throw bad_argument("options->priority = " + std::to_string(options.priority) + ": expected -32768 to 32767");

  const auto count = static_cast<std::size_t>(access_count);
  constexpr std::size_t few = 8;
  declared near[few];
  std::unique_ptr<declared[]> far;
  if (count > few) far = std::make_unique<declared[]>(count);
  declared* const all = far ? far.get() : near;
  for (std::size_t i = 0; i < count; ++i) all[i] = declare(accesses[i], "accesses", i);

  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  if (bytes > mebibyte)
    throw bad_argument("bytes = " + std::to_string(bytes) + ": expected at most a mebibyte; pass large data by access");
  const detail::task_storage storage =
      detail::allocate_task(stored_call::front(count) + bytes, alignof(stored_call), count);
  auto* call = new (storage.callable) stored_call{body, where, count, bytes > 0};
  for (std::size_t i = 0; i < count; ++i) {
    const maslin_access& a = accesses[i];
    const std::int64_t ld = a.columns > 1 ? a.ld : a.rows;
    new (call->views() + i) maslin_view{a.data, a.rows, a.columns, ld, a.element};
    new (call->said() + i) said_access{ld, all[i].mode};
  }
  if (bytes > 0) std::memcpy(call->arguments(), arguments, bytes);
  detail::submit_task(
      storage, {use_call, options.group ? &options.group->tasks : nullptr, place(where), options.priority, all, count});
}

}  // namespace

}  // namespace maslin::c_api

using namespace maslin::c_api;

int maslin_task_at(maslin_location where, maslin_task_body body, const void* arguments, size_t bytes,
                   const maslin_access* accesses, int access_count, const maslin_task_options* options) {
  return guarded("maslin_task", where,
                 [&] { create_task(where, body, arguments, bytes, accesses, access_count, options); });
}

int maslin_wait_at(maslin_location where) { return guarded_wait("maslin_wait", where, maslin::wait); }

int maslin_wait_on_at(maslin_location where, maslin_access data) {
  return guarded("maslin_wait_on", where, [&] {
    data.mode = MASLIN_IN;  // whatever it was made for, here it is read
    data.operation = nullptr;
    maslin::detail::wait_on_data(declare(data, "data", {}), place(where));
  });
}

int maslin_group_create_at(maslin_location where, maslin_group** group) {
  return guarded("maslin_group_create", where, [&] {
    expect(group, "group is NULL: expected where to put it");
    *group = nullptr;
    *group = new maslin_group;
  });
}

int maslin_group_wait_at(maslin_location where, maslin_group* group) {
  return guarded_wait("maslin_group_wait", where, [&] {
    expect(group, "group is NULL: expected one of maslin_group_create");
    group->tasks.wait();
  });
}

int maslin_group_destroy_at(maslin_location where, maslin_group* group) {
  return guarded("maslin_group_destroy", where, [&] { delete group; });
}
