#pragma once
// What messages between processes and nodes take: figures 1 and 2 of ps3-cluster, measured by a program of MPI
// (mpi/messages) that a launcher starts.

#include <string>
#include <vector>

#include "model/layers/machine.hpp"
#include "steady.hpp"

/// A group [[messages]] of a description.
struct message_group {
  maslin::layers::message_curve of;  ///< without its points
  std::string name;                  ///< of the figure
  std::string text;
};

/// Gives the words that start as many ranks of maslin-mpirun, each in a process of its own; none if Maslin was built
/// without it.
std::vector<std::string> launcher_of_processes(int ranks);

/// Measures messages between the ranks that the launcher starts: maslin-mpirun with its options, or what starts
/// programs of the system's MPI. Throws `maslin::error` if it fails, or starts no two processes.
std::vector<message_group> messages_between_processes(const std::vector<std::string>& launcher, steady& figures);

/// Gives the text of a description file with these groups, which replace those of the same call, placement and numbers
/// of ranks. Throws `maslin::error` where `[[messages]]` are not written as groups.
std::string with_messages(const std::string& file, const std::vector<message_group>& groups, const steady& figures);
