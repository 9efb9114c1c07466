#pragma once
// What ranks print: whole lines, each known to be of its rank.

#include <sys/types.h>

#include <cstdio>
#include <string_view>

namespace mpi {

struct shared_by_processes;

/// Puts streams in place of the C library's standard output and error, and of C++'s, before copies of a program look.
void replace_streams();
/// Has what ranks print there, or write to these descriptors, come from them in lines. `tagged`: each line begins with
/// its rank. `shared`: of several processes, which do not print into each other's lines.
void take_output(bool tagged, shared_by_processes* shared);
/// Prints all that has been said so far, also lines without an end.
void flush_output() noexcept;

/// Gives the descriptor for which that stream stands; -1 if it is another one.
int file_of_output(const std::FILE* stream) noexcept;
/// Writes what the caller prints to standard output or error. Gives the number of bytes, or -1, with errno.
ssize_t write_output(int file, std::string_view text);
void replace_cpp_streams();

}  // namespace mpi
