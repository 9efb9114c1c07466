#pragma once
// StarPU: tasks on data that were registered. Its two workers are threads besides the one that creates the tasks; it
// pins them itself.

#include <starpu.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace peer {

inline std::string name() { return "StarPU"; }
inline std::string version() {
  int major = 0, minor = 0, release = 0;
  starpu_get_version(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

struct started {
  started() {
    setenv("STARPU_SILENT", "1", 0);
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = 2;
    conf.ncuda = conf.nopencl = 0;
    if (starpu_init(&conf) != 0) throw std::runtime_error("StarPU could not be started");
  }
  ~started() { starpu_shutdown(); }
  started(const started&) = delete;
  started& operator=(const started&) = delete;
};

template <class F>
void run(F&& f) {
  f();
}

/// The policy dmda goes by what tasks of a kind took.
inline bool learns_lengths() {
  const char* const policy = std::getenv("STARPU_SCHED");
  return policy && std::strcmp(policy, "dmda") == 0;
}

/// A codelet a type of body: it calls the body, which travels as the task's argument, with the buffers' addresses.
template <class Body, class... Accesses>
struct kernel {
  template <std::size_t... I>
  static void call(Body& body, void** buffers, std::index_sequence<I...>) {
    body(reinterpret_cast<typename Accesses::element*>(STARPU_VECTOR_GET_PTR(buffers[I]))...);
  }
  static void run(void** buffers, void* argument) {
    call(*static_cast<Body*>(argument), buffers, std::index_sequence_for<Accesses...>());
  }
  static starpu_codelet* codelet() {
    static starpu_codelet made = [] {
      starpu_codelet c;
      starpu_codelet_init(&c);
      c.cpu_funcs[0] = run;
      c.nbuffers = sizeof...(Accesses);
      if (learns_lengths()) {
        static starpu_perfmodel lengths{};
        lengths.type = STARPU_HISTORY_BASED;
        lengths.symbol = typeid(Body).name();
        c.model = &lengths;
      }
      int i = 0;
      ((c.modes[i++] = Accesses::mode == bench::access_mode::reads     ? STARPU_R
                       : Accesses::mode == bench::access_mode::updates ? STARPU_RW
                                                                       : STARPU_W),
       ...);
      return c;
    }();
    return &made;
  }
  static void submit(const Body& body, Accesses... accesses) {
    static_assert(std::is_trivially_copyable_v<Body>);  // StarPU frees the argument without destroying it
    starpu_task* task = starpu_task_create();
    task->cl = codelet();
    task->cl_arg = new (std::malloc(sizeof(Body))) Body(body);
    task->cl_arg_size = sizeof(Body);
    task->cl_arg_free = 1;
    int i = 0;
    ((task->handles[i++] = accesses.handle), ...);
    if (starpu_task_submit(task) != 0) throw std::runtime_error("StarPU refused a task");
  }
};

inline constexpr bool nests = false;  // a task must not wait for tasks

struct tasks {
  template <class F>
  void run(const F& f) {
    kernel<F>::submit(f);
  }
  void wait() { starpu_task_wait_for_all(); }
};

template <class T, bench::access_mode Mode>
struct access {
  static constexpr bench::access_mode mode = Mode;
  using element = T;
  starpu_data_handle_t handle;
};

inline constexpr bool has_forks = false;
template <class F, class G>
void fork(F&, G&) {}

inline constexpr bool has_graphs = true;
template <class T>
class array {
 public:
  array(std::size_t cells, std::size_t extent) : memory_(cells, extent), handles_(cells) {
    for (std::size_t i = 0; i < cells; ++i)
      starpu_vector_data_register(&handles_[i], STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(memory_.cell(i)),
                                  static_cast<std::uint32_t>(extent), sizeof(T));
  }
  ~array() {
    for (const auto handle : handles_) starpu_data_unregister(handle);
  }
  array(const array&) = delete;
  array& operator=(const array&) = delete;

  T* cell(std::size_t i) { return memory_.cell(i); }
  auto reads(std::size_t i) { return access<const T, bench::access_mode::reads>{handles_[i]}; }
  auto updates(std::size_t i) { return access<T, bench::access_mode::updates>{handles_[i]}; }
  auto writes(std::size_t i) { return access<T, bench::access_mode::writes>{handles_[i]}; }

 private:
  bench::plain_array<T> memory_;
  std::vector<starpu_data_handle_t> handles_;
};

struct graph {
  template <class Body, class... Accesses>
  void task(bench::before, Body body, Accesses... accesses) {
    kernel<Body, Accesses...>::submit(body, accesses...);
  }
};

inline constexpr bool has_wide_graphs = false;
template <class Value>
void wide_task(graph&, const std::uint64_t* const*, int, std::uint64_t*, Value) {}

template <class Emit>
void run_graph(Emit&& emit) {
  graph g;
  emit(g);
  starpu_task_wait_for_all();
}

inline constexpr bool replays = false;
struct recorded {
  template <class Emit>
  explicit recorded(Emit&&) {}
  void run() {}
};

inline constexpr std::array<const char*, 0> schedules{};
inline constexpr std::size_t even = 0;
template <class Body>
void loop(std::size_t, long, const Body&) {}

}  // namespace peer
