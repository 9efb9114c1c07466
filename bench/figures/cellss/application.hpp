#pragma once
// The six applications of the CellSs paper (section 6) as graphs of tasks with the data that they access. Nothing is
// computed: what is counted are transfers.

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace cellss {

enum class mode : std::uint8_t { in, out, inout };

/// A piece of memory that tasks access as a whole; pieces do not overlap.
struct region {
  std::uint64_t address;
  std::uint32_t bytes;
  /// It gets memory when a task writes it, and gives it back after its last reader.
  bool temporary = false;
};

struct access {
  std::uint32_t region;
  mode how;
  bool reads() const { return how != mode::out; }
  bool writes() const { return how != mode::in; }
};

struct task {
  std::uint32_t kernel;
  std::uint32_t first_access;
  std::uint32_t accesses;
};

class application {
 public:
  explicit application(std::string name) : name_(std::move(name)) {}

  /// Gives the number of a new region behind all others.
  std::uint32_t add_region(std::uint32_t bytes);
  std::uint32_t add_temporary(std::uint32_t bytes);
  std::uint32_t add_kernel(std::string name);
  void add_task(std::uint32_t kernel, std::initializer_list<access> accesses);
  void add_task(std::uint32_t kernel, const std::vector<access>& accesses);

  const std::string& name() const { return name_; }
  const std::vector<std::string>& kernels() const { return kernels_; }
  const std::vector<region>& regions() const { return regions_; }
  const std::vector<task>& tasks() const { return tasks_; }
  std::span<const access> accesses(std::size_t task) const {
    return {accesses_.data() + tasks_[task].first_access, tasks_[task].accesses};
  }
  /// Gives the regions of these accesses.
  std::span<const std::uint32_t> used(std::size_t task) const {
    return {used_.data() + tasks_[task].first_access, tasks_[task].accesses};
  }
  std::uint64_t bytes() const { return next_address_; }  ///< of what is not temporary

 private:
  void add(std::uint32_t kernel, std::span<const access> accesses);

  std::string name_;
  std::vector<std::string> kernels_;
  std::vector<region> regions_;
  std::vector<task> tasks_;
  std::vector<access> accesses_;
  std::vector<std::uint32_t> used_;  ///< by access: its region
  std::uint64_t next_address_ = 0;
};

/// A size of a problem: `blocks` × `blocks` blocks of `block` × `block` floats, or as the application says.
struct size {
  int blocks;
  int block;
};

application matmul(size s);      ///< C += A B, three loops
application sparselu(size s);    ///< LU of a sparse matrix, and the check that A = L U
application cholesky_c(size s);  ///< column by column
application cholesky_r(size s);  ///< row by row
/// A tree over `blocks` vectors of `block` floats. `in_place`: the first of two vectors becomes their sum; otherwise
/// the sum is a new vector, whose memory is given back when it has been read.
application reduct(size s, bool in_place);
/// Three passes of 1-D FFTs over a cube of `block`³ complex numbers, with transpositions in blocks of `block` /
/// `blocks`.
application fft3d(size s);

/// Gives the application of that name; size {0, 0}: the paper's, or a small one. Throws `std::invalid_argument`.
application application_of(const std::string& name, size s, bool small);
std::vector<std::string> application_names();

}  // namespace cellss
