#pragma once
// A program as a rank's own: a copy of its file is loaded, so its variables are the rank's alone.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace mpi {

/// A file whose copies are loaded beside each other.
class original {
 public:
  /// Throws maslin::error if it is no program of maslin-mpicc.
  explicit original(std::string path);

  const std::string& path() const noexcept { return path_; }
  /// The names of the libraries that it is linked with.
  const std::vector<std::string>& needed() const noexcept { return needed_; }
  /// A name of MPI's that it uses or has; empty if there is none.
  std::string name_of_mpi() const;
  /// How many bytes it takes when it is loaded.
  std::size_t memory() const noexcept { return memory_; }
  /// Other names of the same length for libraries and for itself.
  using new_names = std::vector<std::pair<std::string, std::string>>;
  /// Has copies hold what is loaded, and where debuggers find the rest.
  void strip();
  /// Gives a file like this one, under those names. It is not found in any folder, and is gone with its descriptor.
  int copy(const new_names& renamed) const;

  /// A part that no copy changes, as it is loaded: whole pages.
  struct constant {
    std::size_t address, bytes, offset;  ///< in the image, and in the file
    int protection;
    std::size_t own_offset, own_bytes;  ///< those pages of the file that hold nothing else
  };
  const std::vector<constant>& constants() const noexcept { return constants_; }

 private:
  std::string path_, content_;
  std::vector<constant> constants_;
  std::size_t names_ = 0, names_size_ = 0;  ///< the table of its dynamic names, in the file
  std::size_t memory_ = 0;
  std::vector<std::string> needed_;
};

/// What all ranks load.
struct program {
  original main;
  std::vector<original> own_libraries;  ///< those with variables that a rank must have for itself

  explicit program(const std::string& path);
};

/// A loaded copy.
class image {
 public:
  image() = default;
  /// Throws maslin::error. `other`: a copy whose constant parts this one shares; null for the first.
  image(const program& of, int rank, const image* other);
  image(image&& from) noexcept = default;
  image& operator=(image&& from) noexcept = default;

  /// Gives the function of that name; throws maslin::error if there is none.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }
  bool has(const char* name) const noexcept;
  /// Where its code begins and ends in memory.
  bool contains(const void* address) const noexcept;
  std::size_t offset(const void* address) const noexcept;
  /// Runs its destructors and takes it out of memory.
  void unload();

 private:
  void* symbol(const char* name) const;

  struct loaded {
    void* handle;
    int file;
  };
  std::vector<loaded> all_;  ///< its libraries, then it
  const char *begin_ = nullptr, *end_ = nullptr;
};

}  // namespace mpi
