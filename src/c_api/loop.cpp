// Loops as C sees them.

#include "maslin/loop.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <string>

#include "c_api/boundary.hpp"
#include "c_api/operation.hpp"

namespace maslin::c_api {

namespace {

schedule policy_of(const maslin_loop_options& options) {
  switch (options.schedule) {
    case MASLIN_SCHEDULE_OF_THE_RUN:
      return schedule::of_the_run;
    case MASLIN_SCHEDULE_DBS:
      return schedule::dbs;
    case MASLIN_SCHEDULE_STATIC:
      return schedule::static_;
    case MASLIN_SCHEDULE_GSS:
      return schedule::gss;
    case MASLIN_SCHEDULE_AFS:
      return schedule::afs;
  }
  throw bad_argument("options->schedule = " + std::to_string(options.schedule) +
                     ": expected one of MASLIN_SCHEDULE_OF_THE_RUN, _DBS, _STATIC, _GSS, _AFS");
}

/// Gives the loop that the arguments describe, its body still open; without iterations it is not to be run.
detail::loop describe(maslin_location where, std::int64_t first, std::int64_t last, const maslin_loop_options* given) {
  const maslin_loop_options options = read_options(given);
  const schedule policy = policy_of(options);
  if (options.block < 0)
    throw bad_argument("options->block = " + std::to_string(options.block) +
                       ": expected iterations per block, or 0 to let the length decide");
  const std::int64_t block = last > first ? detail::block_size(first, last, {options.block}) : 1;
  return {first, last, block, nullptr, nullptr, policy, place(where)};
}

[[noreturn]] void throw_value_of(maslin_location where, range r, int value) {
  throw_value(
      "the block [" + std::to_string(r.first) + ", " + std::to_string(r.last) + ") of the loop at " + text(where),
      value);
}

void run_for(maslin_location where, std::int64_t first, std::int64_t last, maslin_loop_body body, void* env,
             const maslin_loop_options* options) {
  expect(body, "body is NULL: expected a function");
  detail::loop l = describe(where, first, last, options);
  if (last <= first) return;
  struct environment {
    maslin_loop_body body;
    void* env;
    maslin_location where;
  } all{body, env, where};
  l.env = &all;
  l.run = [](const detail::loop& of, std::int64_t& next, std::int64_t end) {
    const environment in = *static_cast<environment*>(of.env);
    detail::each_block(of, next, end, [&](range r, std::int64_t) {
      begin_body();
      if (const int value = in.body(in.env, r.first, r.last)) throw_value_of(in.where, r, value);
    });
  };
  detail::run_loop(l);
}

/// The values of a reduction's blocks, one behind the other.
class block_values {
 public:
  block_values(std::int64_t blocks, std::size_t element) : element_(element) {
    std::ptrdiff_t bytes = 0;  // no object is larger
    if (__builtin_mul_overflow(blocks, element, &bytes)) throw std::bad_alloc();
    data_ = static_cast<char*>(::operator new(static_cast<std::size_t>(bytes), alignment));
  }
  ~block_values() { ::operator delete(data_, alignment); }
  block_values(const block_values&) = delete;
  block_values& operator=(const block_values&) = delete;
  void* at(std::int64_t block) const { return data_ + static_cast<std::size_t>(block) * element_; }

 private:
  static constexpr std::align_val_t alignment{64};
  std::size_t element_;
  char* data_ = nullptr;
};

void run_reduce(maslin_location where, std::int64_t first, std::int64_t last, maslin_reduce_body body, void* env,
                const maslin_operation* operation, void* result, const maslin_loop_options* options) {
  expect(body, "body is NULL: expected a function");
  expect(result, "result is NULL: expected where to put one element");
  const detail::reduction_kind& kind = lasting(operation);
  detail::loop l = describe(where, first, last, options);
  if (last <= first) return kind.begin(result, 1);
  const block_values values(l.blocks(), kind.element);
  struct environment {
    maslin_reduce_body body;
    void* env;
    maslin_location where;
    const detail::reduction_kind* kind;
    const block_values* values;
  } all{body, env, where, &kind, &values};
  l.env = &all;
  l.run = [](const detail::loop& of, std::int64_t& next, std::int64_t end) {
    const environment in = *static_cast<environment*>(of.env);
    detail::each_block(of, next, end, [&](range r, std::int64_t index) {
      void* const mine = in.values->at(index);
      in.kind->begin(mine, 1);
      begin_body();
      if (const int value = in.body(in.env, r.first, r.last, mine)) throw_value_of(in.where, r, value);
    });
  };
  detail::run_loop(l);
  kind.begin(result, 1);
  for (std::int64_t i = 0; i < l.blocks(); ++i) kind.combine(result, values.at(i), 1);
}

}  // namespace

}  // namespace maslin::c_api

using namespace maslin::c_api;

int maslin_parallel_for_at(maslin_location where, int64_t first, int64_t last, maslin_loop_body body, void* env,
                           const maslin_loop_options* options) {
  return guarded_wait("maslin_parallel_for", where, [&] { run_for(where, first, last, body, env, options); });
}

int maslin_parallel_reduce_at(maslin_location where, int64_t first, int64_t last, maslin_reduce_body body, void* env,
                              const maslin_operation* operation, void* result, const maslin_loop_options* options) {
  return guarded_wait("maslin_parallel_reduce", where,
                      [&] { run_reduce(where, first, last, body, env, operation, result, options); });
}
