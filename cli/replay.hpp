#pragma once
// A recorded program, run again on a described machine: what its bodies asked of the runtime they ask again, and where
// they computed, that much time passes.

#include <cstdint>
#include <memory>
#include <string>

#include "maslin/machine.hpp"
#include "recorded.hpp"

/// How it is run.
struct replay_wishes {
  std::string machine;        ///< path of the description
  int workers = 0;            ///< 0: all that the machine has
  std::string loops = "dbs";  ///< the policy of its loops: dbs, static, gss, afs
  bool trimmed = false;       ///< without what the program itself computes before its first call and after its last
  bool memory = true;         ///< workers wait for memory, where the description says how fast it is
  std::string trace;          ///< where to leave a trace in described time; empty: nowhere
};

/// Throws `maslin::error` where `--workers` asks for more than are described.
void expect_workers(int asked, const maslin::machine::machine_spec& machine);

/// Gives how much data the tasks name.
std::uint64_t data_bytes(const recorded& program);

class replay {
 public:
  /// Makes room for the data that the tasks name; none of it is the recorded program's. Throws `maslin::error`.
  explicit replay(const recorded& program);
  ~replay();
  replay(const replay&) = delete;
  replay& operator=(const replay&) = delete;

  /// Gives the seconds that it takes there. Throws `maslin::error` for a machine that cannot be described or a wish
  /// that it cannot meet. No runtime may be running.
  double run(const replay_wishes& how);

 private:
  struct state;
  std::unique_ptr<state> state_;
};
