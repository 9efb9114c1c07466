#pragma once
// Reading files of programs and libraries, which may be damaged.

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace mpi {

/// Gives what stands at that place of a file; throws std::out_of_range if it is shorter.
template <class T>
T read(const std::string& file, std::size_t at) {
  T found;
  if (at > file.size() || file.size() - at < sizeof found) throw std::out_of_range("");
  std::memcpy(&found, file.data() + at, sizeof found);
  return found;
}

/// Gives the entries of a table.
template <class T>
std::vector<T> read_all(const std::string& file, std::size_t at, std::size_t bytes_of_one, std::size_t count) {
  std::vector<T> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(read<T>(file, at + i * bytes_of_one));
  return all;
}

}  // namespace mpi
