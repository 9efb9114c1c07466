// Programs read standard input through stdio, whose stream each rank's copy of the library has for itself
// (library/input.c); through `read`, as Fortran does, which this program defines in front of the C library's; or
// through std::cin, which is one for all.
#undef _FORTIFY_SOURCE  // its header defines `read`, too
#include "input.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include "table.hpp"

namespace mpi {

std::FILE* input_of(int rank) {
  if (rank == 0) return stdin;
  // Without a descriptor, of which a process has only so many. A stream of fopencookie can neither be opened anew
  // (freopen) nor read wide characters.
  std::FILE* const made = std::fopen("/dev/null", "r");
  if (!made) return stdin;
  close(made->_fileno);
  made->_fileno = -1;
  made->_flags |= _IO_EOF_SEEN;
  return made;
}

}  // namespace mpi

// What is compiled here is hidden, unless it says that it is not.
#pragma GCC visibility push(default)
extern "C" ssize_t read(int file, void* to, std::size_t bytes) {
  if (file == STDIN_FILENO) {
    const mpi::rank_of_process* const mine = mpi::rank_here();
    if (mine && mine->said.rank != 0) return 0;
  }
  static const auto real = reinterpret_cast<decltype(&read)>(dlsym(RTLD_NEXT, "read"));
  return real(file, to, bytes);
}
#pragma GCC visibility pop
