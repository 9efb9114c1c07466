#pragma once
// Phases of many shapes, with answers that can be checked: README.md says what each stands for.

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "maslin/maslin.hpp"

namespace shapes {

namespace ms = maslin;

inline constexpr const char* phase_name = "grain";

/// The answer is not what it must be.
struct wrong_answer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How large a phase is.
struct size {
  std::int64_t streams = 16;
  std::int64_t kernels = 100;   ///< off-loads of a stream, in the mean
  std::int64_t patterns = 767;  ///< of the alignment, where trees are searched
  bool declared = false;        ///< nothing is computed: a described machine is told what it would take
  bool small = false;           ///< little memory, for tests

  /// Says that the calling body took `seconds`; gives whether its work is to be left out.
  bool pays(double seconds) const { return declared && ms::cost(std::chrono::duration<double>(seconds), ms::skip); }
};

/// One phase. Streams write to places of their own.
class shape {
 public:
  explicit shape(const size& what) : what_(what), off_loads_(static_cast<std::size_t>(what.streams)) {}
  virtual ~shape() = default;

  virtual void stream(std::int64_t i) = 0;
  /// Gives how many off-loads stream `i` has.
  virtual std::int64_t expected(std::int64_t i) const = 0;
  /// Throws wrong_answer. Called where something was computed.
  virtual void check() const = 0;
  /// Gives a number for what all streams computed, to the last bit.
  virtual std::uint64_t answer() const = 0;

  /// Throws wrong_answer if not every off-load ran once.
  void check_off_loads() const;
  std::int64_t off_loads() const;

 protected:
  template <class Kernel, class... Arguments>
  void off_load(std::int64_t stream, const Kernel& kernel, const Arguments&... arguments) {
    ms::offload(kernel, arguments...);
    ++off_loads_[static_cast<std::size_t>(stream)];
  }
  /// Gives how many streams run now: what bodies that share memory bandwidth or a cache are slowed down by.
  std::int64_t at_a_time() const;

  const size what_;

 private:
  std::vector<std::int64_t> off_loads_;
};

std::unique_ptr<shape> make_cholesky(const size& what);
std::unique_ptr<shape> make_monte_carlo(const size& what);
std::unique_ptr<shape> make_stencil(const size& what);
std::unique_ptr<shape> make_lognormal(const size& what);
std::unique_ptr<shape> make_change(const size& what);
std::unique_ptr<shape> make_md(const size& what);
std::unique_ptr<shape> make_tree(const size& what);

}  // namespace shapes
