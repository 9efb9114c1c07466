// peers_RUNTIME FIGURE...: measures figures on the runtime it was built for, on two CPUs, and prints one JSON
// line each. Status 1 where an answer was wrong or a worker took no part. Without arguments: lists the figures.

#include <array>
#include <cstdio>
#include <exception>
#include <optional>
#include <string_view>

#include "figures.hpp"
#include "peer.hpp"

namespace {

using namespace bench;

struct figure {
  const char* name;
  results (*measure)();
  bool on_runtime = true;  ///< false: on threads of the library itself
};

constexpr std::array figures{
    figure{"tasks-empty", empty_tasks},
    figure{"tasks-deferred", deferred_tasks},
    figure{"tasks-work", working_tasks},
    figure{"tasks-fib", fib},
    figure{"forks-fib", forks_fib},
    figure{"forks-skynet", forks_skynet},
    figure{"forks-nqueens", forks_nqueens},
    figure{"forks-matmul", forks_matmul},
    figure{"chain", chain},
    figure{"wavefront", wavefront},
    figure{"chain-replayed", chain_replayed},
    figure{"wavefront-replayed", wavefront_replayed},
    figure{"fork-join", fork_join},
    figure{"fork-join-after-gap", fork_join_after_gap},
    figure{"triangle-light-first", triangle_light_first},
    figure{"triangle-heavy-first", triangle_heavy_first},
    figure{"cholesky", cholesky},
    figure{"cholesky-openblas", cholesky_openblas, false},
    figure{"linalg", linalg},
    figure{"stencil", stencil},
    figure{"stencil-replayed", stencil_replayed},
    figure{"stencil-loops", stencil_loops},
    figure{"metg", metg},
    figure{"metg-replayed", metg_replayed},
    figure{"metg-loops", metg_loops},
    figure{"metg-fresh-stencil", metg_fresh_stencil},
    figure{"metg-fresh-nearest", metg_fresh_nearest},
    figure{"metg-fresh-fft", metg_fresh_fft},
    figure{"metg-fresh-all-to-all", metg_fresh_all_to_all},
    figure{"metg-loops-stencil", metg_loops_stencil},
    figure{"metg-loops-nearest", metg_loops_nearest},
    figure{"metg-loops-fft", metg_loops_fft},
    figure{"metg-loops-all-to-all", metg_loops_all_to_all},
};

const figure* find(std::string_view name) {
  for (const figure& f : figures)
    if (name == f.name) return &f;
  return nullptr;
}

/// Has two tasks wait for each other until both workers have come to one, and enlists them.
void enlist_workers() {
  for (int attempt = 0; attempt < 200 && enlisted() < workers; ++attempt)
    peer::run([] {
      static std::atomic<int> arrived;
      arrived = 0;
      peer::tasks both;
      for (int i = 0; i < workers; ++i)
        both.run([] {
          if (meet(arrived, 0.02)) enlist();
        });
      both.wait();
    });
  if (enlisted() < workers) throw std::runtime_error("only one worker of two ever ran a task");
}

void print(const result& r) {
  std::printf(R"({"figure": "%s", "runtime": "%s", "version": "%s", "seconds": %.9g, "mean_seconds": %.9g)",
              r.figure.c_str(), (r.runtime.empty() ? peer::name() : r.runtime).c_str(),
              (r.runtime.empty() ? peer::version() : r.version).c_str(), r.seconds.median, r.seconds.mean);
  if (!r.schedule.empty()) std::printf(R"(, "schedule": "%s")", r.schedule.c_str());
  if (r.tasks > 0) std::printf(R"(, "per_task_ns": %.6g)", 1e9 * r.seconds.median / r.tasks);
  for (const auto& [key, value] : r.more) std::printf(R"(, "%s": %.6g)", key.c_str(), value);
  std::printf(", \"checked\": %s}\n", r.checked ? "true" : "false");
  std::fflush(stdout);
}

int measure(int count, char** names) {
  if (count == 0) {
    for (const figure& f : figures) std::puts(f.name);
    return 0;
  }
  restrict_to_two_cpus();
  std::optional<peer::started> runtime;
  bool right = true;
  for (int i = 0; i < count; ++i) {
    const figure* wanted = find(names[i]);
    if (!wanted) {
      std::fprintf(stderr, "no figure is called '%s'; without arguments, this program lists them\n", names[i]);
      return 2;
    }
    if (wanted->on_runtime && !runtime) {
      runtime.emplace();
      enlist_workers();
    }
    for (const result& r : wanted->measure()) {
      print(r);
      right = right && r.checked;
    }
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try { return measure(argc - 1, argv + 1); } catch (const std::exception& e) {
  std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
  return 2;
}
