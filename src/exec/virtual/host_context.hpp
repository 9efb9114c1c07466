#pragma once
// A hardware thread of a host, which the streams that are bound to it share.

#include <optional>
#include <vector>

#include "exec/virtual/processor.hpp"

namespace maslin {

struct host_context final : processor {
  host_context(virtual_executor& e, int place) : processor(place), exec(e) {}
  virtual_fiber* choose() override;
  void enqueue(virtual_fiber& f, picoseconds when) override;

  std::size_t threads() const { return threads_.size(); }
  void bind(virtual_fiber& f);
  void unbind(virtual_fiber& f);
  /// Gives how many threads share it now: none that waits for something that is no kernel.
  std::int64_t present() const;
  /// Gives the time that `alone` takes here now.
  picoseconds slowed(picoseconds alone) const { return whole_picoseconds(slowed(static_cast<double>(alone))); }
  double slowed(double alone) const;
  /// Lets time pass for the thread that runs: it may lose the context meanwhile, and gets it back.
  void pass(picoseconds time);
  /// The thread that runs has off-loaded a kernel: it keeps the context and spins, or yields.
  void off_loaded();
  /// Lets a thread go on that is ready, whosever turn it is. Gives whether there is one.
  bool give_turn();
  /// Does the thread that has the context only wait?
  bool is_spinning() const override { return running && running->on_host.ready_at > clock; }

  virtual_executor& exec;
  std::vector<host_context*> neighbours;  ///< the other contexts of the same core

 private:
  std::vector<const grain::host_thread*> turns() const;
  bool has_others() const;
  void renew_slice();
  picoseconds switch_to(const virtual_fiber& f) const;
  std::optional<grain::host_turn> next_poll();
  void poll_until(picoseconds now);
  void join(virtual_fiber& f);
  void take(std::vector<virtual_fiber*>::iterator next);
  void go_on_spinning();

  std::vector<virtual_fiber*> threads_;    ///< in the order of turns: who had the context last is at the end
  const virtual_fiber* last_ = nullptr;    ///< null: it has ended
  std::optional<grain::polling> polling_;  ///< of the threads, from when on
  picoseconds slice_ends_ = 0;
};

}  // namespace maslin
