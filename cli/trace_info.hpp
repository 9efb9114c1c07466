#pragma once
// What a trace says in figures.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "maslin/trace.hpp"
#include "store_transfers.hpp"

/// The figures of one trace.
struct trace_figures {
  struct kernel {
    std::uint64_t count = 0;
    std::int64_t ns = 0;
  };
  std::array<std::uint64_t, maslin::trace::event_kinds> events{};  ///< by kind
  std::vector<std::int64_t> busy_ns;                               ///< by worker
  std::vector<std::int64_t> parked_ns;                             ///< by worker
  std::map<std::string, kernel> kernels;  ///< by name; time in off-loads, on their stream's worker
  struct transfer {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::int64_t ns = 0;
  };
  std::array<transfer, transfer_sorts.size()> transfers{};  ///< of local stores, by sort
  std::uint64_t unmatched = 0;                              ///< ends without a begin
};

/// Gives when the run began, in UTC, in a format of strftime(3); "?" for what is no date.
std::string start_of(const maslin::trace::summary& about, const char* format);

/// Reads the whole trace.
trace_figures figures_of(const maslin::trace::file& trace);

/// Gives the figures for people, or as one JSON object.
std::string info_text(const maslin::trace::file& trace, const trace_figures& figures);
std::string info_json(const maslin::trace::file& trace, const trace_figures& figures);
