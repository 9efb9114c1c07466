// The serial elision: every call runs in place, in program order. It says what is right.

#include "base/float_mode.hpp"
#include "exec/execute.hpp"
#include "exec/executor.hpp"
#include "exec/forks/forks.hpp"
#include "exec/in_place.hpp"
#include "task/os_waiter.hpp"

namespace maslin {

namespace {

class serial_executor final : public executor {
 public:
  void ready(detail::task_node* task) noexcept override { run_task(*this, task, *this); }
  void run_members(scope&, std::int64_t, std::uint64_t) override {}
  waiter* caller() override { return &os_waiter::mine(); }
  void help(const scope*) override {}
  void run_loop(context& caller, const detail::loop& l) override { loop_in_place(*this, caller, l); }
  void run_phase(context& caller, const detail::phase& p) override { phase_in_place(*this, caller, p); }
  void run_offload(context&, std::uint32_t, void (*call)(void*), void* env) override {
    const base::kept_rounding callers;
    call(env);
  }
  void run_forks(void (*call)(void*), void* env, location) override {
    detail::fork_list in_place{.asked = &nobody_asks};
    const forks_kept in(in_place);
    call(env);
  }
  int width() const override { return 1; }
  int workers() const override { return 1; }
  std::int64_t window() override { return 1; }
  bool serial() const override { return true; }
};

}  // namespace

std::unique_ptr<executor> make_serial() { return std::make_unique<serial_executor>(); }

}  // namespace maslin
