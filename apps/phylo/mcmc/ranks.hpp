#pragma once
// The ranks of a job, among which a grid is divided (PBPI; Blagojevic et al. 2008, 3.2): groups of chains × segments of
// the alignment.

#include <span>

#include "phylo/io/patterns.hpp"
#include "phylo/like/segment.hpp"
#include "phylo/model/model.hpp"

namespace phylo {

/// What a grid needs of MPI. The ranks of a group follow each other, one for each segment. All of a group call the same
/// functions, in one order, as MPI's calls want it.
class Ranks {
 public:
  Ranks() = default;
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Sets how many ranks a group has. All ranks call it, once.
  virtual void divide(int segments) = 0;

  /// All ranks get what rank 0 has.
  virtual void broadcast(std::span<double> numbers) = 0;
  virtual void broadcast(std::span<unsigned char> bytes) = 0;
  /// All ranks get what each has, by rank: so many numbers of each.
  virtual void gather(std::span<const double> mine, std::span<const int> counts, std::span<double> all) = 0;
  /// The same in each group for itself.
  virtual void gather_in_group(std::span<const double> mine, std::span<const int> counts, std::span<double> all) = 0;
  virtual void send(std::span<const double> numbers, int to) = 0;
  virtual void receive(std::span<double> numbers, int from) = 0;
  /// Sends and receives as many.
  virtual void exchange(std::span<const double> mine, std::span<double> theirs, int with) = 0;

  int segments() const { return segments_; }
  int group() const { return rank() / segments_; }
  int groups() const { return size() / segments_; }
  int segment() const { return rank() % segments_; }

  /// The other ranks wait here until rank 0 has found that everything is in order, or has ended without. Gives which it
  /// is.
  bool begin(bool in_order = true);
  /// All ranks have come to their end, so that this one may leave.
  void end() { stage_ = Stage::ended; }

 protected:
  enum class Stage { waiting, begun, ended };
  Stage stage_ = Stage::waiting;
  int segments_ = 1;
};

/// Gives how many segments there are: as many as wanted, or, if that is 0, as few as leave no group without a chain.
/// Throws `input_error` if ranks cannot be divided so.
int choose_segments(int wanted, int ranks, int chains);

/// Gives the segment of this rank, whose sums need all ranks of its group. Throws `input_error` if there are more
/// segments than blocks of patterns.
Segment segment_of(Ranks& ranks, int segments, const Patterns& patterns, const Model& model);

}  // namespace phylo
