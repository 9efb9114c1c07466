#pragma once
// How a program is carried out: serially, with its loops in parallel, or with its functional parallelism as well. Each
// program is written once against this, so that its three forms compute the same thing.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "maslin/maslin.hpp"

namespace figures {

namespace ms = maslin;

enum class form { serial, loop, functional };

/// Is told what memory is used, by whoever uses it, in the order of its uses.
class memory_uses {
 public:
  memory_uses() = default;
  virtual ~memory_uses() = default;
  memory_uses(const memory_uses&) = delete;
  memory_uses& operator=(const memory_uses&) = delete;

  virtual void use(const void* first, std::size_t bytes, bool writes) = 0;
};

struct execution {
  form how = form::serial;
  /// Functional parallelism is encoded as the iterations of a loop: what the paper did for the baselines, which know
  /// loops only (section 4.2). Otherwise its parts are tasks.
  bool as_iterations = false;
  /// What an operation takes on a machine that is only described; 0: what the bodies take here is measured.
  double operation_s = 0;
  memory_uses* uses = nullptr;  ///< null: nobody counts them

  /// Says that the caller has done so many floating-point operations since its last call of Maslin: those that its
  /// source names, a division or a root counted as four.
  void did(std::int64_t operations) const {
    if (operation_s > 0) ms::cost(std::chrono::duration<double>(operation_s * static_cast<double>(operations)));
  }

  /// Says that the caller reads so many numbers from there on, or writes them, which may be after reading them.
  template <class T>
  void reads(const T* first, std::int64_t count) const {
    if (uses) use(first, count, false);
  }
  template <class T>
  void writes(const T* first, std::int64_t count) const {
    if (uses) use(first, count, true);
  }

  /// Calls body(range) on pieces of [0, count), each iteration once.
  template <class Body>
  void loop(std::int64_t count, Body&& body) const {
    if (how == form::serial)
      body(ms::range{0, count});
    else
      ms::parallel_for(0, count, body);
  }

  /// Gives the values of the blocks of [0, count), combined in index order.
  template <class T, class Combine, class Body>
  T reduce(std::int64_t count, std::int64_t block, T value, Combine&& combine, Body&& body) const {
    if (how != form::serial) return ms::parallel_reduce(0, count, std::move(value), combine, body, ms::block{block});
    for (std::int64_t first = 0; first < count; first += block)
      value = combine(std::move(value), body(ms::range{first, std::min(first + block, count)}));
    return value;
  }

  /// Runs the parts, which do not depend on each other; returns when all are done.
  template <class... Parts>
  void together(Parts&&... parts) const {
    if (how != form::functional) return (parts(), ...);
    if (as_iterations) {
      const std::function<void()> all[] = {std::ref(parts)...};
      ms::parallel_for(
          0, sizeof...(parts),
          [&](ms::range r) {
            for (const std::int64_t part : r) all[part]();
          },
          ms::block{1});
      return;
    }
    ms::group tasks;
    (tasks.task([&parts] { parts(); }), ...);
    tasks.wait();
  }

 private:
  template <class T>
  void use(const T* first, std::int64_t count, bool writes) const {
    if (count > 0) uses->use(first, static_cast<std::size_t>(count) * sizeof(T), writes);
  }
};

}  // namespace figures
