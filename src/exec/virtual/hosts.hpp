#pragma once
// The hosts of a described machine whose workers are accelerators: streams run here and send kernels there (EDTLP).

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <vector>

#include "exec/virtual/host_context.hpp"
#include "exec/virtual/kernel_lengths.hpp"
#include "exec/virtual/processor.hpp"
#include "maslin/machine.hpp"
#include "sched/grain/loop_master.hpp"

namespace maslin {

class hosts {
 public:
  /// Its contexts are processors, numbered from `first_number` on.
  hosts(virtual_executor& exec, const machine::machine_spec& machine, int first_number);

  host_context& at(int number) const { return *contexts_[static_cast<std::size_t>(number - first_number_)]; }
  host_context& first() const { return *contexts_.front(); }
  int count() const { return static_cast<int>(contexts_.size()); }

  // With the lock.
  /// Begins a stream whose team's first worker is that one, on the context that fewest share.
  void begin_stream(phase_run& phase, std::int64_t index, int worker);
  /// Lets a thread go on that is ready, whosever turn it is. Gives whether there is one.
  bool give_turn();
  /// The worker runs a kernel that has arrived; false where there is none.
  bool run_kernel(virtual_worker& w);
  /// The worker is about to run that version of a kernel.
  void needs_code(virtual_worker& w, code_version version) const;

  /// Off-loads a kernel: sends it to the first worker of the caller's team and waits for it, or runs it here: where it
  /// is too small for that, and where the host is the master of its loops.
  void send(context& here, stream_run* s, std::uint32_t kernel, int width, void (*call)(void*), void* env);

 private:
  static void stream_body(void* fiber);
  bool stays_on_host(const context& caller, std::uint32_t kernel, int width);
  bool is_master(const context& caller, const stream_run* s, std::uint32_t kernel, int width);
  void run_on_host(context& caller, std::uint32_t kernel, int width, void (*call)(void*), void* env);
  void call_on_team(const context& caller, kernel_run& k);

  virtual_executor& exec_;
  const int first_number_;
  std::vector<std::unique_ptr<host_context>> contexts_;
  kernel_lengths lengths_;
  /// By phase, streams at a time, workers of each. A name outlives the program's phases.
  std::map<std::tuple<std::string_view, int, int>, grain::master_trial> masters_;
  virtual_fiber* idle_streams_ = nullptr;
};

}  // namespace maslin
