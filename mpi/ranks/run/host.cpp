// The process in which ranks live: maslin-mpi-host RANKS TAGGED THREADS PLACE PROGRAM ARGUMENTS. maslin-mpirun starts
// it. PLACE is /HOW, or PROCESS/PROCESSES/ON_EACH_NODE/FILE/FILE/HOW: the files are memory that the processes of a node
// share, and HOW is how --place divides the ranks. ON_EACH_NODE is 0 where there is one node.

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <maslin/machine.hpp>
#include <maslin/maslin.hpp>
#include <span>
#include <string>
#include <thread>
#include <vector>
#include "comm/processes.hpp"

#include "end.hpp"
#include "hosts.hpp"
#include "input.hpp"
#include "output.hpp"
#include "placement.hpp"
#include "processes.hpp"
#include "table.hpp"

namespace mpi {

std::deque<rank_of_process>& ranks() noexcept {
  static std::deque<rank_of_process>& all = *new std::deque<rank_of_process>;
  return all;
}

rank_of_process* rank_here() noexcept {
  if (rank_of_process* const its = rank_at(__builtin_frame_address(0))) return its;
  void* frames[64];
  return rank_by_code({frames, static_cast<std::size_t>(backtrace(frames, 64))});
}

rank_of_process* rank_at(const void* address) noexcept {
  if (rank_of_process* const its = rank_by_thread(address)) return its;
  const auto here = reinterpret_cast<std::uintptr_t>(address);
  for (rank_of_process& one : ranks())
    if (one.stack.load(std::memory_order_relaxed) - here < one.stack_bytes.load(std::memory_order_relaxed)) return &one;
  return nullptr;
}

rank_of_process* rank_by_code(std::span<void* const> frames) noexcept {
  for (const void* const frame : frames)
    for (auto* const all : {&ranks(), &hosts()})
      for (rank_of_process& one : *all)
        if (one.program.contains(frame)) return &one;
  return nullptr;
}

namespace {

/// What each rank's copy of the library keeps. It outlives the copies; nobody frees it.
const void** kept = nullptr;

std::atomic<std::int32_t> left_here{0};
std::atomic<std::int32_t>* left_on_node = &left_here;  ///< so many ranks have not ended; several processes share it

std::size_t count_mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t lines = 0;
  for (std::string line; std::getline(maps, line);) ++lines;
  return lines;
}

/// Throws if there is no room for so many ranks, of which two are loaded; `before`: how many mappings there were when
/// one was.
void expect_room(const program& of, std::size_t count, std::size_t before, std::size_t files) {
  std::size_t most = 65530;
  std::ifstream("/proc/sys/vm/max_map_count") >> most;
  // What else the process will open and map: each worker has two stacks, with guards, and an arena of malloc.
  constexpr std::size_t other_files = 32, other_mappings = 128, of_a_worker = 8, of_a_stack = 2;
  const std::size_t now = count_mappings(), each = now - before + of_a_stack, each_files = of.own_libraries.size() + 1;
  const std::size_t taken = now + 2 * of_a_stack + other_mappings + of_a_worker * std::thread::hardware_concurrency();
  const std::size_t by_mappings = 2 + (most > taken ? most - taken : 0) / each;
  const std::size_t room = std::min(by_mappings, (files - other_files) / each_files);
  if (count > room)
    throw maslin::error(fmt::format(
        "{} ranks do not fit into one process: the system allows {} (vm.max_map_count = {}, ulimit -n = {}; "
        "a rank takes {} mappings and {} files); --processes divides them among several",
        count, room, most, files, each, each_files));
}

/// Loads the copies of so many ranks; where there is no room for all, says for how many there is.
void load(const program& of, const maslin::process_of_job& process, bool has_threads) {
  const std::vector<int> numbers = maslin::ranks_of_process(process.process_of_rank, process.number);
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  std::size_t mappings_of_one = 0;
  kept = new const void*[numbers.size()]();
  for (const int rank : numbers) {
    rank_of_process& one = ranks().emplace_back();
    one.said = {rank,          process.number, rank == numbers.front(), of.main.path().c_str(),
                end_job,       process.node(), process.nodes(),         has_threads,
                input_of(rank)};
    one.kept = &kept[ranks().size() - 1];
    rank_that_is_loaded.store(&one);
    one.program = image(of, rank, rank == numbers.front() ? nullptr : &ranks().front().program);
    rank_that_is_loaded.store(nullptr);
    // With the first come libraries that all share, so what one takes is seen by the second.
    if (ranks().size() == 1) mappings_of_one = count_mappings();
    if (ranks().size() == 2) expect_room(of, numbers.size(), mappings_of_one, files.rlim_cur);
  }
}

/// On a described machine ranks of a node share its memory. `worker_of_rank`: empty if they are not placed.
void tell_nodes(const std::vector<int>& worker_of_rank, int count) {
  const char* const file = std::getenv("MASLIN_MACHINE");
  if (!file || !*file) return;
  const int all = maslin::workers(), of_a_node = maslin::machine::read_spec(file).workers.count;
  for (rank_of_process& one : ranks()) {
    const int rank = one.said.rank;
    const int turn = count <= all ? rank : static_cast<int>(std::int64_t{rank} * all / count);  // as the runtime has it
    const int worker = worker_of_rank.empty() ? turn : worker_of_rank[static_cast<std::size_t>(rank)];
    one.said.node = one.said.process = worker / of_a_node;
  }
}

/// Has at least so many workers start. A described machine has its own.
void want_workers(std::size_t count) {
  if (std::getenv("MASLIN_MACHINE")) return;
  const char* const said = std::getenv("MASLIN_WORKERS");
  const std::string asked = said ? said : "";
  const bool is_number = asked.find_first_not_of("0123456789") == std::string::npos;  // others are refused at the start
  if (is_number && std::strtoul(asked.c_str(), nullptr, 10) < count)
    setenv("MASLIN_WORKERS", std::to_string(count).c_str(), 1);
}

/// Does the caller end the rank? Not where another thread of the rank does.
bool comes_to_its_end(rank_of_process& its) {
  std::thread::id first{};
  return its.ended_by.compare_exchange_strong(first, std::this_thread::get_id()) ||
         first == std::this_thread::get_id();  // an exit handler may call `exit`
}

/// Is the caller the rank's own code? A task of it that calls `exit` comes out of that, too.
bool is_own_code(maslin::communicator& world) {
  try {
    world.look();
    return true;
  } catch (const maslin::error&) {  // also where another rank has failed
    return false;
  }
}

/// How many bytes of the caller's stack lie below that address. Fibers have gaps between them, so it may be some more.
std::size_t stack_below(const void* address) {
  struct own {
    std::uintptr_t bottom = 0;
    std::size_t bytes = 0;
    own() {
      pthread_attr_t all;
      void* lowest = nullptr;
      if (pthread_getattr_np(pthread_self(), &all) != 0) return;
      pthread_attr_getstack(&all, &lowest, &bytes);
      pthread_attr_destroy(&all);
      bottom = reinterpret_cast<std::uintptr_t>(lowest);
    }
  };
  static thread_local const own threads;  // of the system's, which reads a file for that
  const std::uintptr_t above = reinterpret_cast<std::uintptr_t>(address) - threads.bottom;
  return above < threads.bytes ? above : maslin::detail::bytes_of_stack();
}

/// Runs the program as that rank.
void run(maslin::communicator& world, const std::vector<std::string>& words) {
  rank_of_process& mine = rank_numbered(world.rank());
  std::vector<std::string> own = words;  // a program may write into its arguments
  std::vector<char*> arguments;
  arguments.reserve(own.size() + 1);
  for (std::string& word : own) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  mine.stack.store(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)), std::memory_order_relaxed);
  mine.stack_bytes.store(stack_below(__builtin_frame_address(0)), std::memory_order_relaxed);
  *mine.kept = mine.program.find<decltype(maslin_mpi_attach)>("maslin_mpi_attach")(&world, &mine.said);
  auto* const program = mine.program.find<int(int, char**, char**)>("main");
  auto* const detach = mine.program.find<decltype(maslin_mpi_detach)>("maslin_mpi_detach");
  try {
    if (_setjmp(mine.leave) == 0) {
      const int status = program(static_cast<int>(words.size()), arguments.data(), environ);
      if (comes_to_its_end(mine)) mine.status = status & 0xff;
    }
    if (is_own_code(world)) maslin::wait();  // for tasks, while their code is there
  } catch (const std::exception& e) {
    end_job(mine.said.rank, 1,
            fmt::format("rank {}: an exception was not caught: {}", mine.said.rank, e.what()).c_str());
  } catch (...) {
    end_job(mine.said.rank, 1, fmt::format("rank {}: an exception was not caught", mine.said.rank).c_str());
  }
  if (!comes_to_its_end(mine)) {
    while (!mine.has_ended.load()) usleep(1000);  // another thread runs its exit handlers, and takes leave of the world
    return;
  }
  if (!detach())
    end_job(mine.said.rank, mine.status,
            fmt::format("rank {} ended with status {} and without MPI_Finalize", mine.said.rank, mine.status).c_str());
  if (!mine.has_threads.load()) mine.program.unload();
  left_on_node->fetch_sub(1);
}

/// Another thread than its own ends the rank. Its own cannot be taken off its worker, which other ranks may need: so
/// the process ends with it, but not before the ranks of this node have ended, if they do so soon. Those of other nodes
/// may be at work for longer.
[[noreturn]] void exit_by_thread(rank_of_process& its, int status) {
  constexpr int patience_ms = 3000;
  if (its.said.host)
    end_job(its.said.rank, status,
            fmt::format("{}: a function that ranks call has called exit({})", name_of(its), status).c_str());
  if (comes_to_its_end(its)) {
    its.status = status & 0xff;
    const bool has_finalized = its.program.find<decltype(maslin_mpi_detach)>("maslin_mpi_detach")();
    left_on_node->fetch_sub(1);
    its.has_ended.store(has_finalized);
    for (int waited = 0; has_finalized && waited < patience_ms && left_on_node->load() > 0; ++waited) usleep(1000);
    if (!has_finalized || left_on_node->load() > 0 || its.said.nodes > 1)
      end_job(its.said.rank, status,
              fmt::format("rank {}: another thread of it called exit({})", its.said.rank, status).c_str());
    if (claim_end()) {
      flush_output();
      std::fflush(nullptr);
      _exit(status_of_ranks());
    }
  }
  for (;;) pause();
}

int run_all(int argc, char** argv) {
  const int count = std::atoi(argv[1]);
  left_here.store(count);
  maslin::process_of_job process;
  int job = -1;
  shared_by_processes* shared = nullptr;
  int placement = 1;
  if (std::sscanf(argv[4], "%d/%d/%d/%d/%d/%n", &process.number, &process.count, &process.on_each_node, &job,
                  &process.shared_memory, &placement) == 5) {
    shared = map_shared(job);
    if (!shared) throw maslin::error(fmt::format("shared memory cannot be mapped ({})", std::strerror(errno)));
    join_job(*shared, process.number);
    left_on_node = &shared->ranks_left;
    for (const int file : {job, process.shared_memory}) fcntl(file, F_SETFD, FD_CLOEXEC);
  }
  const char* const how = argv[4] + placement;
  process.process_of_rank = in_processes(shared ? how : "block", count, process.count);
  // Traces, reports and what is learned go by the program that was started.
  program_invocation_name = argv[5];
  program_invocation_short_name = basename(argv[5]);
  unsetenv("MASLIN_RANK_PLACE");  // these ranks are where `how` says
  const program all{argv[5]};
  const bool has_threads = std::strcmp(argv[3], "threads") == 0;
  if (has_threads) want_workers(maslin::ranks_of_process(process.process_of_rank, process.number).size());
  replace_streams();
  load(all, process, has_threads);
  watch_crashes();
  take_output(std::strcmp(argv[2], "tagged") == 0, shared);
  const std::vector<std::string> words(argv + 5, argv + argc);
  const auto body = [&](maslin::communicator& world) { run(world, words); };
  using body_type = decltype(body);
  const auto call = [](void* it, maslin::communicator& world) { (*static_cast<body_type*>(it))(world); };
  void* const its = const_cast<void*>(static_cast<const void*>(&body));
  {
    hosts_of_ranks by(all, process);
    const auto here = maslin::location::current();
    if (shared) {
      maslin::detail::run_ranks_of_process(process, count, call, its, here, by.nearest(), by.of_job());
    } else if (std::strcmp(how, "block") == 0) {
      tell_nodes({}, count);
      maslin::detail::run_ranks(count, call, its, here, by.nearest());
    } else {
      const std::vector<int> worker_of_rank = placed(how, count, maslin::workers(), "worker");
      tell_nodes(worker_of_rank, count);
      maslin::detail::run_placed_ranks(worker_of_rank, call, its, here, by.nearest());
    }
  }
  if (shared) shared->has_finished[process.number].store(true);
  flush_output();
  return status_of_ranks();
}

}  // namespace

int status_of_ranks() noexcept {
  for (const rank_of_process& one : ranks())
    if (one.status != 0) return one.status;
  return 0;
}

}  // namespace mpi

/// Ends the rank that calls it; outside of ranks, the process.
extern "C" void exit(int status) {
  if (mpi::rank_of_process* const of = mpi::rank_by_thread(__builtin_frame_address(0)))
    mpi::exit_by_thread(*of, status);
  if (mpi::rank_of_process* const mine = mpi::rank_at(__builtin_frame_address(0))) {
    if (mpi::comes_to_its_end(*mine)) mine->status = status & 0xff;
    _longjmp(mine->leave, 1);
  }
  if (mpi::rank_of_process* const of = mpi::rank_here()) mpi::exit_by_thread(*of, status);
  auto* const real = reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "exit"));
  real(status);
  _exit(status);
}

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr, "maslin-mpi-host: this is started by maslin-mpirun\n");
    return 2;
  }
  try {
    return mpi::run_all(argc, argv);
  } catch (const std::exception& e) {
    if (mpi::claim_end()) std::fprintf(stderr, "maslin-mpirun: %s\n", e.what());
    return 2;
  }
}
