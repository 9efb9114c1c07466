#pragma once
// What a rank knows. Each rank has its own copy of the program, so these are its own variables.

#include <pthread.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../job.hpp"
#include "communicator.hpp"
#include "datatype.hpp"
#include "failure.hpp"
#include "handles.hpp"
#include "maslin/ranks.hpp"
#include "operation.hpp"
#include "request.hpp"
#include "site.hpp"

namespace mpi {

struct error_handler {
  MPI_Comm_errhandler_function* function;
};
/// An error of the program's own.
struct own_error {
  int error_class;
  std::string text;
};
struct keyval {
  MPI_Comm_copy_attr_function* copy;
  MPI_Comm_delete_attr_function* remove;
  void* extra;
  bool is_freed = false;  ///< attributes stay, with their functions
};
using info = std::vector<std::pair<std::string, std::string>>;  // in the order in which they were set

struct state {
  maslin::communicator* world = nullptr;
  const job* of = nullptr;
  pthread_t main_thread{};  ///< that has called MPI_Init
  int thread_level = MPI_THREAD_FUNNELED;

  handles<communicator> communicators;
  handles<group> groups;
  handles<datatype> types;
  handles<operation> operations;
  request_table requests;
  handles<held_message> messages;
  handles<error_handler> error_handlers;
  handles<info> infos;
  kept_messages buffered;
  std::map<int, own_error> own_errors;  ///< by their codes
  std::map<int, keyval> keyvals;
  std::map<std::pair<int, std::vector<int>>, MPI_Datatype> by_precision;  ///< by their combiners and what was asked for
  int next_key = MPI_LASTUSEDCODE + 1;
};
extern state& me;

/// Gives the communicator of that handle; throws `failure`.
inline communicator& communicator_of(MPI_Comm comm) {
  communicator* const found = me.communicators.find(comm);
  if (!found) [[unlikely]]
    throw_no_communicator(comm);
  return *found;
}
/// There is no such type, or it is not committed.
[[noreturn]] void throw_no_type(MPI_Datatype type);
/// Gives the type of that handle; throws `failure`. `committed`: it is to be sent or received.
inline const datatype& type_of(MPI_Datatype type, bool committed = true) {
  const datatype* const found = me.types.find(type);
  if (!found || (committed && !found->is_committed)) [[unlikely]]
    throw_no_type(type);
  return *found;
}
/// The same, to be changed.
datatype& editable_type(MPI_Datatype type);
const operation& operation_of(MPI_Op op);
const group& group_of(MPI_Group group);

}  // namespace mpi
