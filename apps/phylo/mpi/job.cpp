#include "phylo/mpi/job.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <vector>

namespace phylo {
namespace {

/// The ranks of this rank's group. Not a member, so that the header needs no MPI.
MPI_Comm of_group = MPI_COMM_NULL;

int length_of(std::span<const double> numbers) { return static_cast<int>(numbers.size()); }

void gather_among(MPI_Comm ranks, std::span<const double> mine, std::span<const int> counts, std::span<double> all) {
  static std::vector<int> places;  // kept, since a chain's generation has one such call
  places.clear();
  for (int place = 0; const int count : counts) {
    places.push_back(place);
    place += count;
  }
  MPI_Allgatherv(mine.data(), length_of(mine), MPI_DOUBLE, all.data(), counts.data(), places.data(), MPI_DOUBLE, ranks);
}

}  // namespace

Job::Job(int& argc, char**& argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  // Rank 0 decides what becomes of a signal, which others get, too. The ranks of a process share what it does.
  constexpr std::size_t name_length = 248;
  struct {
    long process = ::getpid();
    std::array<char, name_length> host{};
  } own;
  ::gethostname(own.host.data(), name_length - 1);
  auto first = own;
  MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (first.process == own.process && first.host == own.host) return;
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_IGN);
}

void Job::divide(int segments) {
  segments_ = segments;
  MPI_Comm_split(MPI_COMM_WORLD, group(), rank_, &of_group);
}

void Job::broadcast(std::span<double> numbers) {
  MPI_Bcast(numbers.data(), length_of(numbers), MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

void Job::broadcast(std::span<unsigned char> bytes) {
  constexpr std::size_t most = std::size_t{1} << 30;  // of a call, whose count is an int
  for (std::size_t at = 0; at < bytes.size(); at += most)
    MPI_Bcast(bytes.data() + at, static_cast<int>(std::min(most, bytes.size() - at)), MPI_BYTE, 0, MPI_COMM_WORLD);
}

void Job::gather(std::span<const double> mine, std::span<const int> counts, std::span<double> all) {
  gather_among(MPI_COMM_WORLD, mine, counts, all);
}

void Job::gather_in_group(std::span<const double> mine, std::span<const int> counts, std::span<double> all) {
  gather_among(of_group, mine, counts, all);
}

void Job::send(std::span<const double> numbers, int to) {
  MPI_Send(numbers.data(), length_of(numbers), MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
}

void Job::receive(std::span<double> numbers, int from) {
  MPI_Recv(numbers.data(), length_of(numbers), MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void Job::exchange(std::span<const double> mine, std::span<double> theirs, int with) {
  MPI_Sendrecv(mine.data(), length_of(mine), MPI_DOUBLE, with, 0, theirs.data(), length_of(theirs), MPI_DOUBLE, with, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int Job::leave(int status) {
  if (rank_ == 0 && stage_ == Stage::waiting) begin(false);
  if (stage_ == Stage::begun) MPI_Abort(MPI_COMM_WORLD, status);
  MPI_Finalize();
  return status;
}

}  // namespace phylo
