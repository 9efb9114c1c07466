#pragma once
// The arithmetic of the three kernels on one block of site patterns, once for each instruction set. Nothing here knows
// of trees, teams or models: operands are arrays.
//
// There are kernels for 4 and for 20 states. Data of fewer states are computed with the next larger number, of which
// the last ones are never reached: their probabilities are zero.
//
// Patterns are kept in groups of sixteen, one a lane, so that no instruction ever works across lanes, whatever the
// width of the registers. A conditional likelihood vector (CLV) is [group][rate][state][lane], 64-byte aligned. Its
// numbers are doubles, or floats that are computed with as doubles: half the memory for a rounding of 2^-24.
// Likelihoods of a pattern are kept from underflow by a count beside the CLV (scaling.hpp): true value = value *
// 2^(-256 * count).
//
// Where a subtree shows few different columns, as a tip does, its CLV is kept for these classes only: the patterns have
// codes, one byte each, and what the classes become across a branch is a small table in which the codes are looked up.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "phylo/like/precision.hpp"

namespace phylo {

inline constexpr int lanes = 16;
/// Gives how many groups so many columns take.
inline constexpr int groups_of(int columns) { return (columns + lanes - 1) / lanes; }
/// Groups in a block of the loops: small enough that a block's CLVs of a few nodes stay in the first-level cache.
inline constexpr int block_groups(int states) { return states == 4 ? 4 : 1; }
/// Gives for how many states the kernels of an alphabet are made.
inline constexpr int kernel_states(int states) { return states <= 4 ? 4 : 20; }

/// Classes that codes may tell apart: two groups. Tips of DNA have 16, the masks of bases.
inline constexpr int most_classes = 2 * lanes;

/// Doubles that the matrices of one branch take for a number of rate categories, and the table of an end with classes.
inline constexpr int matrix_doubles(int rates, int states = 4) { return rates * states * states; }
inline constexpr int table_doubles(int rates, int states = 4) { return rates * states * most_classes; }

/// Doubles that a table of exponents takes: states - 1 a rate, rounded up to whole groups.
inline constexpr int exponent_doubles(int rates, int states = 4) { return groups_of((states - 1) * rates) * lanes; }
inline constexpr int most_rates = 64;

/// Doubles of an expansion, which turns a branch length into one matrix for each rate category: base + sum over k of
/// term[k] * (e^(exponent * t) - 1). It is the base, then each term, all of them row by row; rows are what the result
/// is indexed by.
inline constexpr int expansion_doubles(int states) { return states * matrix_doubles(1, states); }

/// One end of a branch and what leads across it.
struct Operand {
  const void* clv = nullptr;            ///< of every pattern; null for an end with classes
  const std::int32_t* scale = nullptr;  ///< its counts; classes have none
  const std::uint8_t* codes = nullptr;  ///< classes of the patterns; null for an end without
  const double* matrices = nullptr;     ///< [rate][row][column], or for an end with classes what `class_table` made
  bool wide = false;                    ///< more than `lanes` classes
};

/// parent = (left.matrices * left) x (right.matrices * right), for each pattern and rate. If only one has classes, it
/// is `left`.
struct Newview {
  void* clv;
  std::int32_t* scale;
  Operand left;
  Operand right;
};

/// What the sites of a pattern add to the likelihood. Padding has weight 0.
struct Sites {
  const double* weights;    ///< [pattern]
  const double* invariant;  ///< likelihood of the invariant class, [pattern]; null without +I
};

/// Log-likelihood at a branch. `near` has no matrices, but a table of classes as they are; those of `far` hold
/// frequencies and weights of categories. If only one has classes, it is `far`.
struct Evaluation {
  Operand near;
  Operand far;
  Sites sites;
};

/// Log-likelihood at a node where three branches meet. If only one of `near` and `far` has classes, it is `near`. The
/// matrices of `hung` hold frequencies and weights of categories; without classes it has been brought across by
/// `prepare`.
struct Junction {
  Operand near;
  Operand far;
  Operand hung;
  Sites sites;
};

/// The likelihood at a branch as a function of its length: constant + sum over r, k of table[r][k] * e^(exponent[r][k]
/// * t). Table: [group][1 + (states - 1) * rates][lane], the constant first. Operands' matrices: one (or a table), the
/// same for all rates, row k of both the transformation to eigenvector k; or one for each rate, so many doubles apart.
/// If only one has classes, it is `far`.
struct Sumtable {
  double* table;
  Operand near;
  Operand far;
  const double* invariant;
  int near_stride = 0;
  int far_stride = 0;
};

/// What the ends of a branch say of the rate matrix. Operands as a sumtable's; `values` are e^(exponent * t), as
/// `factors` writes them.
struct Products {
  Operand near;
  Operand far;
  Sites sites;
  const double* values;
  void* near_values;  ///< room for what arrives from each end: as a CLV
  void* far_values;
  int near_stride = 0;
};

/// First and second derivative of the log-likelihood by the branch's length.
struct Slopes {
  double first = 0;
  double second = 0;
};

/// Factors of the table's entries in the likelihood and in its first and second derivative: [0..2][(states - 1) *
/// rates].
struct Derivation {
  const double* table;
  const double* factors[3];
  const double* weights;
};

/// The kernels of one instruction set, number of states and precision of CLVs. Groups are numbered from the start of
/// the patterns; those in [first, last) are done.
struct Kernels {
  const char* name;  ///< as MASLIN_SIMD says it
  int states;
  int block;                 ///< groups that a loop's block has
  std::size_t number_bytes;  ///< of a number in a CLV

  /// Writes `rates` matrices for length t; exponents are [(states - 1) * rates] in the order rate, k, then anything up
  /// to whole groups.
  void (*matrices)(const double* expansion, const double* exponents, int rates, double t, double* out);
  /// Writes e^(exponent * t), e^... * exponent, e^... * exponent^2.
  void (*factors)(const double* exponents, int rates, double t, double* value, double* first, double* second);
  /// Writes what the matrices make of each class of a CLV of one or two groups, in the layout in which codes are looked
  /// up; null matrices leave them as they are. `stride` is from one rate's matrix to the next, or 0 for one and
  /// the same.
  void (*class_table)(const double* matrices, int stride, const void* clv, int groups, int rates, double* out);
  /// Does a whole traversal, children first, for these groups.
  void (*newview)(const Newview* steps, int count, int rates, int first, int last);
  double (*evaluate)(const Evaluation& e, int rates, int first, int last);
  /// Writes the logarithm of each pattern's likelihood to its place in `out`, unweighted.
  void (*logarithms)(const Evaluation& e, int rates, int first, int last, double* out);
  double (*junction)(const Junction& e, int rates, int first, int last);
  /// Writes matrices * CLV of an inner node, and copies its counts.
  void (*prepare)(const Operand& from, void* clv, std::int32_t* scale, int rates, int first, int last);
  void (*sumtable)(const Sumtable& e, int rates, int first, int last);
  Slopes (*slopes)(const Derivation& e, int rates, int first, int last);
  /// Writes for each rate and each eigenvector k of the near end and l of the far one: the sum over the patterns of
  /// weight / likelihood * near[k] * far[l]. [rate][k][l].
  void (*products)(const Products& e, int rates, int first, int last, double* out);
};

/// Those of one instruction set: by precision, for 4 states, then for 20.
struct KernelsOfSet {
  Kernels of[2][2];
};

extern const KernelsOfSet scalar_kernels;
#if defined(__x86_64__)
extern const KernelsOfSet avx2_kernels;
extern const KernelsOfSet avx512_kernels;
#elif defined(__aarch64__)
extern const KernelsOfSet neon_kernels;
#endif

/// Gives those for that many states that this processor can run, the fastest first.
std::vector<const Kernels*> runnable_kernels(int states, Precision precision = Precision::binary64);

/// Gives the fastest of them, or those that MASLIN_SIMD (scalar, avx2, avx512, neon) asks for. Throws input_error when
/// it asks for something else or for what the processor lacks.
const Kernels& choose_kernels(int states = 4, Precision precision = Precision::binary64);

}  // namespace phylo
