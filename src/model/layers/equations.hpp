#pragma once
// The model of layered parallelism (ps3-cluster, 4), equation by equation, for a phase between two collective
// operations: hosts compute and off-load to teams of workers. Times in one unit.

namespace maslin::layers {

/// Gives α(p), how many times as long a thread computes where `sharing` threads share its hardware thread (4.1): a
/// straight line with one parameter, which `fit_contention` finds.
constexpr double slow_down(double contention, double sharing) {
  return 1 + contention * (sharing > 1 ? sharing - 1 : 0);
}

/// Equation (2): what off-loading costs a host thread. It signals to `width` workers one after the other, and
/// `threads` threads on `contexts` hardware threads make threads / contexts switches. One that has a hardware thread to
/// itself makes none.
constexpr double host_overhead(int width, double off_load, int threads, int contexts, double context_switch) {
  const double switches = threads > contexts ? static_cast<double>(threads) / contexts : 0;
  return width * off_load + switches * context_switch;
}

/// Equation (4), of which (3) is the case of one worker: what an off-loaded kernel computes on a team.
constexpr double kernel_time(double parallel, double serial, int width) { return parallel / width + serial; }

/// Equation (5): what is not overlapped of messages to and from the worker, what they take the worker itself, and
/// transfers.
constexpr double accelerator_overhead(double receive, double send, double call, double transfer) {
  return receive + send + call + transfer;
}

/// What a phase takes, by what it takes it for. Of one that is off-loaded: α(p)·Thost, Ohost, Tp/l, Ts, Oacc, C.
struct terms {
  double host = 0;
  double host_overhead = 0;
  double parallel = 0;
  double serial = 0;
  double accelerator_overhead = 0;
  double waiting = 0;  ///< for a host that others have, for the others at the end, for memory: not in the equations
  double communication = 0;

  /// Equation (6); without communication, (1).
  constexpr double sum() const {
    return host + host_overhead + parallel + serial + accelerator_overhead + waiting + communication;
  }
  constexpr terms& operator+=(const terms& o) {
    host += o.host;
    host_overhead += o.host_overhead;
    parallel += o.parallel;
    serial += o.serial;
    accelerator_overhead += o.accelerator_overhead;
    waiting += o.waiting;
    communication += o.communication;
    return *this;
  }
};

}  // namespace maslin::layers
