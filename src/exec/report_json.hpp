#pragma once
// A run's report as JSON: what `maslin explain` reads.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exec/reports.hpp"
#include "exec/store/local_store.hpp"
#include "exec/threads/place_choice.hpp"
#include "maslin/run_report.hpp"

namespace maslin {

/// The process and its runtime.
struct run_about {
  struct library {
    std::string name;
    bool process_wide = false;  ///< it has one limit on its threads for all
  };
  std::string program;
  process_space where;
  std::int64_t process = 0;
  std::uint64_t process_start = 0;
  std::string machine;
  bool described = false;  ///< the machine; its time is virtual
  int workers = 0;
  double began = 0;    ///< the runtime, in seconds since 1970
  double written = 0;  ///< this report
  double seconds = 0;  ///< of the runtime so far
  bool ended = false;
  int signal = 0;  ///< that ended it; 0: none did
  std::vector<library> libraries;
  std::optional<store::counts> stores;  ///< nothing where there are none
  std::optional<told_place> place;      ///< nothing where the policy was named
};

/// How every report begins.
inline constexpr std::string_view report_mark = "{\"maslin_report\":";

/// Gives the report, one line a phase, and one a choice and an estimate of it. Throws std::bad_alloc.
std::string report_json(const run_about& run, const std::vector<told_phase>& phases);

/// Gives the text in quotes, as JSON has it; what is no UTF-8 becomes question marks.
std::string json_text(std::string_view text);

}  // namespace maslin
