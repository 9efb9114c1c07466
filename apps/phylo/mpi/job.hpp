#pragma once
// The ranks of an MPI program: of maslin-mpirun, or of the system's MPI.

#include "phylo/mcmc/ranks.hpp"

namespace phylo {

class Job : public Ranks {
 public:
  /// Joins the job (MPI_Init).
  Job(int& argc, char**& argv);

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void divide(int segments) override;
  void broadcast(std::span<double> numbers) override;
  void broadcast(std::span<unsigned char> bytes) override;
  void gather(std::span<const double> mine, std::span<const int> counts, std::span<double> all) override;
  void gather_in_group(std::span<const double> mine, std::span<const int> counts, std::span<double> all) override;
  void send(std::span<const double> numbers, int to) override;
  void receive(std::span<double> numbers, int from) override;
  void exchange(std::span<const double> mine, std::span<double> theirs, int with) override;

  /// Leaves the job; ends it if this rank ends before its time. Gives the status.
  int leave(int status);

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace phylo
