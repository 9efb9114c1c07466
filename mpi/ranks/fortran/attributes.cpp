// Attributes of communicators and types. In Fortran a value is an integer as wide as an address, or, as MPI-1 has it,
// an INTEGER; the functions that copy and delete values take everything by reference.

#include <cstdint>
#include <forward_list>

#include "binding.hpp"

namespace {

/// What the library keeps is a pointer.
template <class Value>
Value value_of(const void* kept) {
  return static_cast<Value>(reinterpret_cast<std::intptr_t>(kept));
}
void* kept_as(std::intptr_t value) { return reinterpret_cast<void*>(value); }

/// A keyval's functions.
template <class Value>
struct functions {
  using copier = void(int* comm, int* key, Value* extra, Value* from, Value* to, int* copied, int* error);
  using remover = void(int* comm, int* key, Value* value, Value* extra, int* error);
  copier* copy;
  remover* remove;
  Value extra;
};

template <class Value>
int copy(MPI_Comm comm, int key, void* extra, void* from, void* to, int* copied) {
  auto& of = *static_cast<functions<Value>*>(extra);
  Value before = value_of<Value>(from), after = 0;
  int code = MPI_SUCCESS;
  of.copy(&comm, &key, &of.extra, &before, &after, copied, &code);
  *static_cast<void**>(to) = kept_as(after);
  return code;
}

template <class Value>
int remove(MPI_Comm comm, int key, void* kept, void* extra) {
  auto& of = *static_cast<functions<Value>*>(extra);
  Value value = value_of<Value>(kept);
  int code = MPI_SUCCESS;
  of.remove(&comm, &key, &value, &of.extra, &code);
  return code;
}

template <class Value, auto create = PMPI_Comm_create_keyval>
int create_keyval(typename functions<Value>::copier* copier, typename functions<Value>::remover* remover, int* key,
                  Value extra) {
  // Communicators may have the attribute longer than the program has the keyval.
  static std::forward_list<functions<Value>> all;
  all.push_front({copier, remover, extra});
  return create(copy<Value>, remove<Value>, key, &all.front());
}

template <class Value, auto set = PMPI_Comm_set_attr>
int set_attribute(int object, int key, Value value) {
  return set(object, key, kept_as(value));
}

template <class Value, auto get = PMPI_Comm_get_attr>
int get_attribute(int object, int key, Value* value, int* flag) {
  void* kept = nullptr;
  const int code = get(object, key, &kept, flag);
  if (code != MPI_SUCCESS || !*flag) return code;
  const bool is_predefined = key >= MPI_TAG_UB && key <= MPI_LASTUSEDCODE;  // in C a pointer to the value
  *value = is_predefined ? Value{*static_cast<const int*>(kept)} : value_of<Value>(kept);
  return code;
}

}  // namespace

MASLIN_FORTRAN(create_keyval<MPI_Aint>, comm_create_keyval, 4)
MASLIN_FORTRAN(PMPI_Comm_free_keyval, comm_free_keyval, 1)
MASLIN_FORTRAN(set_attribute<MPI_Aint>, comm_set_attr, 3)
MASLIN_FORTRAN(get_attribute<MPI_Aint>, comm_get_attr, 4)
MASLIN_FORTRAN(PMPI_Comm_delete_attr, comm_delete_attr, 2)
MASLIN_FORTRAN((create_keyval<MPI_Aint, PMPI_Type_create_keyval>), type_create_keyval, 4)
MASLIN_FORTRAN(PMPI_Type_free_keyval, type_free_keyval, 1)
MASLIN_FORTRAN((set_attribute<MPI_Aint, PMPI_Type_set_attr>), type_set_attr, 3)
MASLIN_FORTRAN((get_attribute<MPI_Aint, PMPI_Type_get_attr>), type_get_attr, 4)
MASLIN_FORTRAN(PMPI_Type_delete_attr, type_delete_attr, 2)
MASLIN_FORTRAN(create_keyval<int>, keyval_create, 4)
MASLIN_FORTRAN(PMPI_Keyval_free, keyval_free, 1)
MASLIN_FORTRAN(set_attribute<int>, attr_put, 3)
MASLIN_FORTRAN(get_attribute<int>, attr_get, 4)
MASLIN_FORTRAN(PMPI_Attr_delete, attr_delete, 2)

// What a program may name instead of functions of its own.
extern "C" {
void mpi_comm_null_copy_fn_(int*, int*, void*, void*, void*, int* copied, int* error) {
  *copied = 0;
  *error = MPI_SUCCESS;
}
void mpi_comm_null_delete_fn_(int*, int*, void*, void*, int* error) { *error = MPI_SUCCESS; }
void mpi_comm_dup_fn_(int*, int*, MPI_Aint*, MPI_Aint* from, MPI_Aint* to, int* copied, int* error) {
  *to = *from;
  *copied = 1;
  *error = MPI_SUCCESS;
}
void mpi_dup_fn_(int*, int*, int*, int* from, int* to, int* copied, int* error) {
  *to = *from;
  *copied = 1;
  *error = MPI_SUCCESS;
}
decltype(mpi_comm_null_copy_fn_) mpi_null_copy_fn_ __attribute__((alias("mpi_comm_null_copy_fn_")));
decltype(mpi_comm_null_copy_fn_) mpi_type_null_copy_fn_ __attribute__((alias("mpi_comm_null_copy_fn_")));
decltype(mpi_comm_null_delete_fn_) mpi_null_delete_fn_ __attribute__((alias("mpi_comm_null_delete_fn_")));
decltype(mpi_comm_null_delete_fn_) mpi_type_null_delete_fn_ __attribute__((alias("mpi_comm_null_delete_fn_")));
decltype(mpi_comm_dup_fn_) mpi_type_dup_fn_ __attribute__((alias("mpi_comm_dup_fn_")));
}
