#pragma once
// The reports that runs leave behind: where they are, what they say.

#include <string>
#include <vector>

#include "explanation.hpp"

/// Reads one report. Throws `maslin::error`, which says what is damaged and what was expected.
explanation read_run_report(const std::string& path);

/// What there is in the user's folder.
struct known_runs {
  struct run {
    std::string path;
    explanation what;
  };
  std::string folder;
  std::vector<run> runs;             ///< the one that began last comes first
  std::vector<std::string> damaged;  ///< one message each

  /// Gives the latest run of that process or program, or of all where `wish` is empty; null if there is none.
  const run* find(const std::string& wish) const;
};
known_runs look_for_runs();

/// Gives a line a run.
std::string runs_text(const known_runs& all);
std::string runs_json(const known_runs& all);
