#pragma once
// What a reduction combines numbers with.

#include <memory>
#include <string>
#include <vector>

#include "datatype.hpp"
#include "mpi.h"

namespace mpi {

struct operation {
  std::string name;
  int predefined = MPI_OP_NULL;  ///< its handle
  MPI_User_function* function = nullptr;
  bool commutes = true;

  /// Says why it does not combine such elements; empty if it does.
  std::string problem_with(const datatype& type) const;
  /// into[i] = from[i] op into[i] for all elements. `handle`: the type's.
  void combine(const void* from, void* into, std::size_t count, const datatype& type, MPI_Datatype handle) const;
};

/// into[i] = from[i] op into[i], by a predefined operation.
void combine_predefined(int operation, number kind, const void* from, void* into, std::size_t count);

/// All predefined operations, in the order of their handles.
std::vector<std::shared_ptr<operation>> predefined_operations();

}  // namespace mpi
