// What programs and libraries keep with a communicator.

#include <algorithm>
#include <climits>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "state.hpp"

namespace mpi {

namespace {

keyval& keyval_of(int key) {
  const auto found = me.keyvals.find(key);
  if (found == me.keyvals.end()) throw failure{MPI_ERR_KEYVAL, "there is no key " + std::to_string(key)};
  return found->second;
}

using attributes = std::vector<attribute>;

template <class Attributes>
auto find(Attributes& in, int key) {
  return std::find_if(in.begin(), in.end(), [key](const attribute& one) { return one.key == key; });
}

void remove(int from, attributes& of, attributes::iterator at) {
  const auto [key, value] = *at;
  const keyval kind = keyval_of(key);
  int problem = MPI_SUCCESS;
  if (kind.remove) {
    const maslin::outside_gate others_call(threads);  // it may end one of them
    problem = kind.remove(from, key, value, kind.extra);
  }
  if (problem != MPI_SUCCESS) throw failure{problem, "the function that deletes an attribute gave an error"};
  // The function may have deleted others, and this one.
  const auto still = find(of, key);
  if (still != of.end()) of.erase(still);
}

void set(int in, attributes& of, int key, void* value) {
  if (keyval_of(key).is_freed) throw failure{MPI_ERR_KEYVAL, "the key has been freed"};
  const auto before = find(of, key);
  if (before != of.end()) remove(in, of, before);
  of.push_back({key, value});
}

void get(attributes& of, int key, void* value, int* flag) {
  keyval_of(key);
  const auto at = find(of, key);
  *flag = at != of.end();
  if (*flag) std::memcpy(value, &at->value, sizeof at->value);
}

void remove(int from, attributes& of, int key) {
  keyval_of(key);
  const auto at = find(of, key);
  if (at == of.end()) throw failure{MPI_ERR_KEYVAL, "there is no such attribute"};
  remove(from, of, at);
}

void create(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* on_delete, int* key, void* extra) {
  expect_pointer(key, "the key");
  *key = me.next_key++;
  me.keyvals[*key] = {copy, on_delete, extra};
}

void free_key(int* key) {
  keyval_of(*key).is_freed = true;
  *key = MPI_KEYVAL_INVALID;
}

/// The values of the standard's own keys; null where there is none.
int* predefined(int key) {
  static int tag_ub = INT_MAX, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, wtime_is_global = 1, universe_size = 0,
             last_used_code = 0;
  wtime_is_global = me.of->nodes == 1 ? 1 : 0;
  universe_size = me.world->size();
  last_used_code = last_error_code();
  switch (key) {
    case MPI_TAG_UB:
      return &tag_ub;
    case MPI_HOST:
      return &host;
    case MPI_IO:
      return &io;
    case MPI_WTIME_IS_GLOBAL:
      return &wtime_is_global;
    case MPI_UNIVERSE_SIZE:
      return &universe_size;
    case MPI_LASTUSEDCODE:
      return &last_used_code;
    default:
      return nullptr;
  }
}

}  // namespace

void copy_attributes(int from, const std::vector<attribute>& of, std::vector<attribute>& into) {
  const std::vector<attribute> before(of.begin(), of.end());  // the functions may set and delete some
  for (const attribute& one : before) {
    const int key = one.key;
    const auto still = find(of, key);
    const keyval& kind = keyval_of(key);
    if (still == of.end() || !kind.copy) continue;
    void* copied = nullptr;
    int keep = 0;
    const int problem = kind.copy(from, key, kind.extra, still->value, &copied, &keep);
    if (problem != MPI_SUCCESS) throw failure{problem, "the function that copies an attribute gave an error"};
    if (keep) into.push_back({key, copied});
  }
}

void delete_attributes(int from, std::vector<attribute>& of) {
  while (!of.empty()) remove(from, of, std::prev(of.end()));
}

}  // namespace mpi

using namespace mpi;

extern "C" int MPI_COMM_DUP_FN(MPI_Comm, int, void*, void* from, void* to, int* copied) {
  std::memcpy(to, &from, sizeof from);
  *copied = 1;
  return MPI_SUCCESS;
}

MASLIN_MPI_DEFINE(Comm_create_keyval, (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function* on_delete,
                                       int* key, void* extra)) {
  return carry_out(MASLIN_MPI_CALL(Comm_create_keyval), MPI_COMM_WORLD, [&] { create(copy, on_delete, key, extra); });
}
MASLIN_MPI_DEFINE(Comm_free_keyval, (int* key)) {
  return carry_out(MASLIN_MPI_CALL(Comm_free_keyval), MPI_COMM_WORLD, [&] { free_key(key); });
}
MASLIN_MPI_DEFINE(Comm_set_attr, (MPI_Comm comm, int key, void* value)) {
  return carry_out(MASLIN_MPI_CALL(Comm_set_attr), comm,
                   [&] { set(comm, communicator_of(comm).attributes, key, value); });
}
MASLIN_MPI_DEFINE(Comm_get_attr, (MPI_Comm comm, int key, void* value, int* flag)) {
  return carry_out(MASLIN_MPI_CALL(Comm_get_attr), comm, [&] {
    communicator& of = communicator_of(comm);
    if (key < 1 || key > MPI_LASTUSEDCODE) {
      get(of.attributes, key, value, flag);
      return;
    }
    int* const found = predefined(key);
    *flag = found != nullptr;
    if (found) std::memcpy(value, &found, sizeof found);
  });
}
MASLIN_MPI_DEFINE(Comm_delete_attr, (MPI_Comm comm, int key)) {
  return carry_out(MASLIN_MPI_CALL(Comm_delete_attr), comm,
                   [&] { remove(comm, communicator_of(comm).attributes, key); });
}
MASLIN_MPI_DEFINE(Type_create_keyval, (MPI_Type_copy_attr_function * copy, MPI_Type_delete_attr_function* on_delete,
                                       int* key, void* extra)) {
  return carry_out(MASLIN_MPI_CALL(Type_create_keyval), MPI_COMM_WORLD, [&] { create(copy, on_delete, key, extra); });
}
MASLIN_MPI_DEFINE(Type_free_keyval, (int* key)) {
  return carry_out(MASLIN_MPI_CALL(Type_free_keyval), MPI_COMM_WORLD, [&] { free_key(key); });
}
MASLIN_MPI_DEFINE(Type_set_attr, (MPI_Datatype type, int key, void* value)) {
  return carry_out(MASLIN_MPI_CALL(Type_set_attr), MPI_COMM_WORLD,
                   [&] { set(type, editable_type(type).attributes, key, value); });
}
MASLIN_MPI_DEFINE(Type_get_attr, (MPI_Datatype type, int key, void* value, int* flag)) {
  return carry_out(MASLIN_MPI_CALL(Type_get_attr), MPI_COMM_WORLD,
                   [&] { get(editable_type(type).attributes, key, value, flag); });
}
MASLIN_MPI_DEFINE(Type_delete_attr, (MPI_Datatype type, int key)) {
  return carry_out(MASLIN_MPI_CALL(Type_delete_attr), MPI_COMM_WORLD,
                   [&] { remove(type, editable_type(type).attributes, key); });
}
MASLIN_MPI_DEFINE(Keyval_create, (MPI_Copy_function * copy, MPI_Delete_function* remove, int* key, void* extra)) {
  return PMPI_Comm_create_keyval(copy, remove, key, extra);
}
MASLIN_MPI_DEFINE(Keyval_free, (int* key)) { return PMPI_Comm_free_keyval(key); }
MASLIN_MPI_DEFINE(Attr_put, (MPI_Comm comm, int key, void* value)) { return PMPI_Comm_set_attr(comm, key, value); }
MASLIN_MPI_DEFINE(Attr_get, (MPI_Comm comm, int key, void* value, int* flag)) {
  return PMPI_Comm_get_attr(comm, key, value, flag);
}
MASLIN_MPI_DEFINE(Attr_delete, (MPI_Comm comm, int key)) { return PMPI_Comm_delete_attr(comm, key); }
