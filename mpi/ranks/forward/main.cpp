// What joins the nodes of a job: maslin-mpi-forwarder RANKS PROCESSES FILE FILE HOW. maslin-mpirun starts one on each
// node; the files are memory that the processes of the node share, and HOW is how --place divides the ranks. It alone
// is linked with the system's MPI, whose names are those of ours.

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../run/launcher.hpp"
#include "../run/placement.hpp"
#include "../run/processes.hpp"
#include "comm/processes.hpp"
#include "maslin/error.hpp"

namespace mpi {

namespace {

/// The parcels go by synchronous sends, so no more of them lie at their receiver than it has room for.
class network final : public maslin::node_network {
 public:
  network(shared_by_processes& job, int nodes) : job_(job), lanes_(static_cast<std::size_t>(nodes)) {
    for (std::size_t i = 0; i < received_.size(); ++i) {
      received_[i] = std::make_unique<std::byte[]>(most_bytes);
      begin_receive(i);
    }
  }
  ~network() override {
    for (MPI_Request& one : receives_) {
      MPI_Cancel(&one);
      MPI_Wait(&one, MPI_STATUS_IGNORE);
    }
  }
  network(const network&) = delete;
  network& operator=(const network&) = delete;

  std::byte* room(int node) override {
    lane& to = lanes_[static_cast<std::size_t>(node)];
    if (!is_complete(to.sends[to.next])) return nullptr;
    std::unique_ptr<std::byte[]>& its = to.parcels[to.next];
    if (!its) its = std::make_unique<std::byte[]>(most_bytes);
    return its.get();
  }
  void send(int node, std::size_t bytes) override {
    lane& to = lanes_[static_cast<std::size_t>(node)];
    MPI_Issend(to.parcels[to.next].get(), static_cast<int>(bytes), MPI_BYTE, node, tag, MPI_COMM_WORLD,
               &to.sends[to.next]);
    to.next = (to.next + 1) % under_way;
  }
  std::span<const std::byte> first() override {
    int is_here = 0, bytes = 0;
    MPI_Status status;
    MPI_Test(&receives_[first_], &is_here, &status);
    if (!is_here) return {};
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    return {received_[first_].get(), static_cast<std::size_t>(bytes)};
  }
  void pop() override {
    begin_receive(first_);
    first_ = (first_ + 1) % received_.size();
  }
  bool has_sent_all() override {
    bool all = true;
    for (lane& to : lanes_)
      for (MPI_Request& one : to.sends) all &= is_complete(one);
    return all;
  }

  bool is_ended_here() override { return job_.ended_by.load() != 0; }
  void end_here() override { job_.end(shared_by_processes::another_node); }
  std::optional<int> status_here() override {
    const std::int32_t status = job_.status_here.load();
    return status > 0 ? std::optional(status - 1) : std::nullopt;
  }

 private:
  static constexpr int tag = 1;
  // So many parcels are on their way to a node at a time, and so many may come from all.
  static constexpr std::size_t under_way = 4, coming = 8;

  struct lane {
    lane() { sends.fill(MPI_REQUEST_NULL); }
    std::array<std::unique_ptr<std::byte[]>, under_way> parcels;
    std::array<MPI_Request, under_way> sends;
    std::size_t next = 0;
  };

  static bool is_complete(MPI_Request& one) {
    int is = 0;
    MPI_Test(&one, &is, MPI_STATUS_IGNORE);
    return is != 0;
  }
  /// Those of one node come in their order, since receives are matched in the order in which they begin.
  void begin_receive(std::size_t i) {
    MPI_Irecv(received_[i].get(), static_cast<int>(most_bytes), MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD,
              &receives_[i]);
  }

  shared_by_processes& job_;
  std::vector<lane> lanes_;
  std::array<std::unique_ptr<std::byte[]>, coming> received_;
  std::array<MPI_Request, coming> receives_;
  std::size_t first_ = 0;
};

/// What is to be the same on all nodes.
struct terms {
  int ranks, processes;
  std::vector<int> process_of_rank;
};

/// The name of that MPI, which says more of itself.
std::string name_of_mpi() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  return std::string(text, std::strcspn(text, ",\n"));
}

/// Gives what is wrong with the job, as this node sees it; nothing if all is right.
std::string problem_with(terms& said, const std::string& how, int node, int nodes) {
  int first[2] = {said.ranks, said.processes};
  MPI_Bcast(first, 2, MPI_INT, 0, MPI_COMM_WORLD);
  int length = 0;
  std::string problem;
  try {
    constexpr int most = shared_by_processes::most;
    if (const int started = started_by_launcher(); nodes == 1 && started > 1)
      problem = fmt::format("--nodes: the launcher has started {} of these, and {} finds 1; use the mpirun of that MPI",
                            started, name_of_mpi());
    else if (first[0] != said.ranks || first[1] != said.processes)
      problem = fmt::format("node {} has -n {} --processes {}, and node 0 has -n {} --processes {}; expected the same",
                            node, said.ranks, said.processes, first[0], first[1]);
    else if (said.processes * nodes > most)
      problem =
          fmt::format("{} processes on each of {} nodes; expected at most {} in all", said.processes, nodes, most);
    else
      said.process_of_rank = in_processes(how, said.ranks, said.processes * nodes);
  } catch (const maslin::error& e) {
    problem = e.what();
  }
  // A file may be another one on each node.
  length = node == 0 ? static_cast<int>(said.process_of_rank.size()) : 0;
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> of_first(static_cast<std::size_t>(length));
  if (node == 0) of_first = said.process_of_rank;
  MPI_Bcast(of_first.data(), length, MPI_INT, 0, MPI_COMM_WORLD);
  if (problem.empty() && length > 0 && of_first != said.process_of_rank)
    problem = fmt::format("--place {}: node {} has another file than node 0", how, node);
  return problem;
}

/// Gives whether all nodes find the job right. The first that does not says why.
bool all_agree(const std::string& problem, int node, int nodes) {
  int mine = problem.empty() ? nodes : node, first = nodes;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == node) std::fprintf(stderr, "maslin-mpirun: %s\n", problem.c_str());
  return first == nodes;
}

void tell(std::atomic<std::int32_t>& word, std::int32_t value) {
  word.store(value);
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

int run(char** argv) {
  terms said{std::atoi(argv[1]), std::atoi(argv[2]), {}};
  const int job_file = std::atoi(argv[3]);
  maslin::process_of_job of;
  of.shared_memory = std::atoi(argv[4]);
  of.on_each_node = said.processes;
  shared_by_processes* const job = map_shared(job_file);
  if (!job) throw maslin::error(fmt::format("shared memory cannot be mapped ({})", std::strerror(errno)));
  for (const int file : {job_file, of.shared_memory}) fcntl(file, F_SETFD, FD_CLOEXEC);
  MPI_Init(nullptr, nullptr);
  int node = 0, nodes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &node);
  MPI_Comm_size(MPI_COMM_WORLD, &nodes);
  if (!all_agree(problem_with(said, argv[5], node, nodes), node, nodes)) {
    tell(job->nodes, shared_by_processes::refused);
    return MPI_Finalize();
  }
  of.number = node * said.processes;
  of.count = nodes * said.processes;
  of.process_of_rank = std::move(said.process_of_rank);
  job->node.store(node);
  tell(job->nodes, nodes);
  if (nodes == 1) return MPI_Finalize();
  {
    network all(*job, nodes);
    const auto statuses = maslin::detail::forward_between_nodes(all, of, said.ranks, maslin::location::current());
    if (!statuses) _exit(1);  // the others do not answer, so MPI has no end either
    int status = 0;
    for (const int one : *statuses)
      if (status == 0) status = one;
    job->status_of_job.store(status + 1);
  }
  return MPI_Finalize();
}

}  // namespace

}  // namespace mpi

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "maslin-mpi-forwarder: this is started by maslin-mpirun\n");
    return 2;
  }
  try {
    return mpi::run(argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "maslin-mpirun: %s\n", e.what());
    return 2;
  }
}
