#pragma once
// States of chains as numbers, to be sent to other ranks. Counts are whole numbers below 2^53, which a double holds.

#include <cstdint>
#include <span>
#include <vector>

#include "phylo/mcmc/grid.hpp"

namespace phylo {

/// Writes what is visited.
class Packing {
 public:
  explicit Packing(std::vector<double>& numbers) : numbers_(&numbers) {}
  template <class T>
  void operator()(const T& number) {
    numbers_->push_back(static_cast<double>(number));
  }
  void operator()(const Tree& tree) {
    for (HalfEdge h = 0; h < tree.half_edges(); ++h) {
      (*this)(tree.back(h));
      (*this)(tree.length(h));
    }
  }

 private:
  std::vector<double>* numbers_;
};

/// Reads it again, in the same order. Vectors and trees must have the size that they had.
class Unpacking {
 public:
  explicit Unpacking(std::span<const double> numbers) : at_(numbers.data()) {}
  template <class T>
  void operator()(T& number) {
    number = static_cast<T>(*at_++);
  }
  void operator()(Tree& tree) {
    Tree read(tree.tips());
    for (HalfEdge h = 0; h < read.half_edges(); ++h) {
      HalfEdge back = none;
      double length = 0;
      (*this)(back);
      (*this)(length);
      if (back > h) read.connect(h, back, length);
    }
    tree = read;
  }

 private:
  const double* at_;
};

template <class Visit>
void each_number(Visit& visit, ChainState& state) {
  visit(state.tree);
  visit(state.place);
  visit(state.lnl);
  visit(state.log_prior);
  for (double& rate : state.model.rates) visit(rate);
  for (double& frequency : state.model.frequencies) visit(frequency);
  visit(state.model.alpha);
  visit(state.model.invariant);
}

template <class Visit>
void each_number(Visit& visit, Tuning& tuning) {
  for (MoveRecord& r : tuning.moves) {
    for (double* number : {&r.boldness, &r.weight, &r.passed_lately, &r.read_lately}) visit(*number);
    for (std::int64_t* count : {&r.tried, &r.accepted, &r.tuned, &r.tried_lately}) visit(*count);
  }
  for (Spread& s : tuning.spreads)
    for (double* number : {&s.mean, &s.squares, &s.own, &s.others}) visit(*number);
  visit(tuning.generations);
}

template <class Visit>
void each_number(Visit& visit, RunState& run) {
  for (ChainState& chain : run.chains) each_number(visit, chain);
  for (int& heat : run.heats) visit(heat);
  for (Tuning& tuning : run.tunings) each_number(visit, tuning);
  for (std::vector<std::int64_t>* counts : {&run.swaps_tried, &run.swaps_accepted})
    for (std::int64_t& count : *counts) visit(count);
}

template <class Visit>
void each_number(Visit& visit, GridState& state) {
  visit(state.generation);
  for (RunState& run : state.runs) each_number(visit, run);
}

/// Gives the numbers of all.
template <class... What>
std::vector<double> packed(What... all) {
  std::vector<double> numbers;
  Packing packing(numbers);
  (each_number(packing, all), ...);
  return numbers;
}

/// Reads them again.
template <class... What>
void unpack(std::span<const double> numbers, What&... all) {
  Unpacking unpacking(numbers);
  (each_number(unpacking, all), ...);
}

}  // namespace phylo
