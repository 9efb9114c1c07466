#include "c_api/operation.hpp"

#include <cstdint>
#include <deque>
#include <functional>

#include "c_api/boundary.hpp"
#include "maslin/task.hpp"

namespace maslin::c_api {

namespace {

/// Never destroyed: tasks may run until the process ends. A program has few operations, so they are looked at one by
/// one; addresses in a deque stay.
std::deque<detail::reduction_kind>& table() MASLIN_REQUIRES(lasting_lock) {
  static auto& made = *new std::deque<detail::reduction_kind>;
  return made;
}

template <class T, class Operation>
constexpr maslin_operation ready_made() {
  using kind = detail::reduction_of<T, Operation>;
  return {sizeof(T), kind::begin, kind::combine};
}

}  // namespace

const detail::reduction_kind& lasting(const maslin_operation* operation) {
  expect(operation, "the operation is NULL: expected how elements begin and are combined");
  expect(operation->element > 0, "operation->element is 0: expected the bytes of an element");
  expect(operation->begin && operation->combine, "operation->begin or operation->combine is NULL: expected a function");
  const base::locked held(lasting_lock);
  auto& known = table();
  for (const detail::reduction_kind& k : known)
    if (k.element == operation->element && k.begin == operation->begin && k.combine == operation->combine) return k;
  return known.emplace_back(detail::reduction_kind{operation->element, operation->begin, operation->combine});
}

}  // namespace maslin::c_api

using maslin::c_api::ready_made;

const maslin_operation maslin_sum_double = ready_made<double, std::plus<>>();
const maslin_operation maslin_min_double = ready_made<double, maslin::minimum>();
const maslin_operation maslin_max_double = ready_made<double, maslin::maximum>();
const maslin_operation maslin_sum_int64 = ready_made<std::int64_t, std::plus<>>();
const maslin_operation maslin_min_int64 = ready_made<std::int64_t, maslin::minimum>();
const maslin_operation maslin_max_int64 = ready_made<std::int64_t, maslin::maximum>();
