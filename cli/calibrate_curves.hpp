#pragma once
// Curves that `maslin machine --calibrate` measures for the model of layered parallelism (ps3-cluster, 3.1 and 4).

#include <functional>
#include <string>
#include <vector>

/// A value that was measured several times.
struct curve_point {
  double at = 0;
  double is = 0;     ///< the median
  double error = 0;  ///< its standard error
};

/// Gives the points of one curve, as the arrays of a description: "bytes = [...]\nus = [...]\nerror_us = [...]\n".
std::string arrays_of(const std::vector<curve_point>& points, const char* at, const char* is, const char* error);

/// Measures α(p), messages between ranks of one process, and the groups of a description that say them. `step` is
/// called after each part, so often in all: `curve_parts`.
inline constexpr int curve_parts = 3;
std::string message_and_sharing_groups(int workers, const std::function<void()>& step);

/// Gives the median of the samples with its standard error.
curve_point median_point(double at, std::vector<double> samples);
