#pragma once
// A host: functions that ranks call, and the thread that runs them. HOSTS.md states the protocol.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "maslin/host.hpp"

namespace maslin {

class world;
class remote_call;

namespace detail {

class host_functions {
 public:
  explicit host_functions(host_functions* further) noexcept : further_(further) {}
  host_functions(const host_functions&) = delete;
  host_functions& operator=(const host_functions&) = delete;

  void start(location where);
  void stop();

  void add(std::string_view name, const std::string& signature, function_of_bytes function, location where);
  /// Queues the call here, or at the nearest host further out that has such a function. If not, `problem` says what
  /// does not fit, or is empty: there is no such function.
  bool begin(remote_call& call);
  /// Takes a call back that was queued here; false where it is run, or has been.
  bool take_back(remote_call& call);
  /// The functions' names, of this host and of those further out, as a message has them.
  std::string names();

  /// What the thread does: runs what is called, until `stop`.
  void serve();
  /// The function that runs calls one further out.
  std::vector<std::byte> call_further(const called& what);

  /// Nobody calls any more for these ranks. Calls that are queued for them end without having been run; who runs one
  /// has left them when this returns.
  void leave(const world& of);

 private:
  struct entry {
    std::string signature;
    function_of_bytes run;
  };
  /// A call of the one that runs.
  struct further_call;

  bool serve_one();
  void add(remote_call& call, const entry& what);

  host_functions* const further_;
  base::short_lock lock_;
  std::map<std::string, entry, std::less<>> all_ MASLIN_GUARDED_BY(lock_);  ///< none is removed
  remote_call* first_ MASLIN_GUARDED_BY(lock_) = nullptr;
  remote_call* last_ MASLIN_GUARDED_BY(lock_) = nullptr;
  MASLIN_ATOMIC<std::uint32_t> rung_{0};           ///< changes when something is queued
  MASLIN_ATOMIC<world*> running_by_{nullptr};      ///< for whose ranks the thread runs a function
  MASLIN_ATOMIC<std::uint32_t> further_ended_{0};  ///< the call further out of the function that runs
  MASLIN_ATOMIC<bool> is_ending_{false};
  std::thread thread_;
};

struct host_access {
  static host_functions* of(host* its) noexcept { return its ? its->its_.get() : nullptr; }
};

}  // namespace detail

/// A call, as who waits for it keeps it.
class remote_call {
 public:
  remote_call(world& by, std::string_view its_name, std::string_view its_signature,
              std::span<const std::byte> what) noexcept
      : of(by), name(its_name), signature(its_signature), given(what) {}
  virtual ~remote_call() = default;
  remote_call(const remote_call&) = delete;
  remote_call& operator=(const remote_call&) = delete;

  /// It is over. This is the last that is done with it by who carries it out.
  virtual void end() noexcept = 0;
  /// Gives the result; throws what went wrong.
  std::vector<std::byte> take_result(location where);
  /// Takes it back, if no function of this process runs for it.
  bool take_back() { return at_ && at_->take_back(*this); }

  world& of;  ///< whose ranks, or whose gateway, waits
  const std::string_view name, signature;
  const std::span<const std::byte> given;
  std::vector<std::byte> result;
  std::string problem;  ///< why there is no result; empty: there is
  /// There is no such function; `problem` names those that there are further out than `asked`.
  bool is_unknown = false;
  detail::host_functions* asked = nullptr;  ///< has no such function, nor do those further out that are here

 private:
  friend class detail::host_functions;
  detail::host_functions* at_ = nullptr;  ///< where it is queued
  const void* what_ = nullptr;            ///< the function
  remote_call* next_ = nullptr;
};

}  // namespace maslin
