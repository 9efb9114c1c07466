#include "hosts.hpp"

#include <string>

#include "end.hpp"
#include "input.hpp"
#include "table.hpp"

namespace mpi {

std::deque<rank_of_process>& hosts() noexcept {
  static std::deque<rank_of_process>& all = *new std::deque<rank_of_process>;
  return all;
}

std::string name_of(const rank_of_process& one) {
  if (one.said.rank == job::host_of_job) return "host of the job";
  if (one.said.rank == job::host_of_process) return "host of process " + std::to_string(one.said.process);
  return "rank " + std::to_string(one.said.rank);
}

namespace {

/// What the copies of the library keep. It outlives them; nobody frees it.
const void* kept[2];

}  // namespace

hosts_of_ranks::hosts_of_ranks(const program& of, const maslin::process_of_job& process) {
  if (process.number == 0) start(of, process, "MPIX_Host_of_job", job::host_of_job, of_job_);
  start(of, process, "MPIX_Host_of_process", job::host_of_process, of_process_);
}

void hosts_of_ranks::start(const program& of, const maslin::process_of_job& process, const char* function, int as,
                           std::optional<maslin::host>& its) {
  const image& other = ranks().front().program;
  if (!other.has(function)) return;
  its.emplace(of_job());
  rank_of_process& copy = hosts().emplace_back();
  copy.said = {as,    process.number, false, of.main.path().c_str(), end_job, process.node(), process.nodes(),
               false, input_of(as),   &*its};
  rank_that_is_loaded.store(&copy);
  copy.program = image(of, static_cast<int>(process.process_of_rank.size()) - as, &other);  // a number that no rank has
  rank_that_is_loaded.store(nullptr);
  copy.kept = &kept[hosts().size() - 1];
  *copy.kept = copy.program.find<decltype(maslin_mpi_attach)>("maslin_mpi_attach")(nullptr, &copy.said);
  copy.program.find<void(maslin::host*)>(function)(&*its);
}

hosts_of_ranks::~hosts_of_ranks() {
  of_process_.reset();
  of_job_.reset();
  for (rank_of_process& copy : hosts()) {
    if (!copy.kept) continue;  // it could not be loaded
    copy.program.find<decltype(maslin_mpi_detach)>("maslin_mpi_detach")();
    if (!copy.has_threads.load()) copy.program.unload();
  }
}

}  // namespace mpi
