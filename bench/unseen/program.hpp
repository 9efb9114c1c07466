#pragma once
// The forty programs: each is one phase, written once, and checks its answer.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "grain/random.hpp"
#include "parallelism.hpp"

namespace unseen {

using shapes::lognormal;
using shapes::mixed;
using shapes::uniform;

/// The answer is not what it must be.
struct wrong_answer : std::runtime_error {
  using std::runtime_error::runtime_error;
};
inline void require(bool right, const char* what) {
  if (!right) throw wrong_answer(what);
}

struct size {
  bool small = false;       ///< for tests: few streams and little work
  std::int64_t longer = 1;  ///< with declared costs: so many times as many rounds
};

/// One phase. Streams write to places of their own.
class program {
 public:
  program(const size& what, std::int64_t streams) : what_(what), digests_(at(what.small ? few(streams) : streams)) {}
  virtual ~program() = default;

  virtual void stream(std::int64_t i) = 0;
  /// Throws wrong_answer. Called after all streams, where something was computed.
  virtual void check() const = 0;
  /// Gives a number for what all streams computed, to the last bit; 0 where a library computed it.
  std::uint64_t answer() const { return digested_ ? shapes::folded(digests_) : 0; }
  std::int64_t streams() const { return static_cast<std::int64_t>(digests_.size()); }

 protected:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  /// Gives the first where the program is to be small.
  template <class T>
  T small_or(T small, T full) const {
    return what_.small ? small : full;
  }
  /// Gives how often a stream repeats what it does.
  std::int64_t rounds(std::int64_t small, std::int64_t full) const { return small_or(small, full) * what_.longer; }
  /// Gives room for n values; none where nothing is computed.
  template <class T>
  static std::vector<T> room(std::int64_t n, T value = {}) {
    return std::vector<T>(declared ? 0 : at(n), value);
  }
  /// What stream i computed.
  template <class T>
    requires std::is_arithmetic_v<T>
  void digest(std::int64_t i, T value) {
    using number = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
    digests_[at(i)] = mixed(digests_[at(i)], static_cast<number>(value));
  }
  template <class T>
  void digest(std::int64_t i, const std::vector<T>& values) {
    for (const T value : values) digest(i, value);
  }
  void digest_nothing() { digested_ = false; }

 private:
  static std::int64_t few(std::int64_t streams) { return std::min<std::int64_t>(streams, 8); }

  const size what_;
  bool digested_ = true;
  std::vector<std::uint64_t> digests_;
};

struct entry {
  std::string family;
  std::function<std::unique_ptr<program>(const size&)> make;
};
/// Gives all programs by their names.
std::map<std::string, entry>& programs();

/// Puts a program into the list.
template <class Program>
struct listed {
  listed(const char* family, const char* name) {
    programs()[name] = {family, [](const size& what) { return std::make_unique<Program>(what); }};
  }
};

}  // namespace unseen
