#pragma once
// What right-sizing learned of phases: kept while the process runs, and in a file for the next process.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sched/grain/knowledge.hpp"

namespace maslin {

class learned_phases {
 public:
  /// `machine` names what the phases run on; `file` is read now if it is there. An empty name: nothing is read or
  /// written. What cannot be read in it is left out.
  learned_phases(const std::string& machine, std::string file);
  /// Writes the file if there is anything new.
  ~learned_phases() { save(); }
  learned_phases(const learned_phases&) = delete;
  learned_phases& operator=(const learned_phases&) = delete;

  /// Gives what was learned of the phase with so many workers, those of as many streams first, the latest first.
  std::vector<grain::knowledge> of(std::string_view phase, int workers, std::int64_t streams) const;
  /// Keeps what was learned in place of what was known of an input of that size.
  void keep(std::string_view phase, int workers, std::int64_t streams, grain::knowledge what);
  /// Writes the file if there is anything new. Where that is not possible the next process learns anew.
  void save() noexcept;

 private:
  struct entry {
    std::int64_t streams = 0;
    std::int64_t when = 0;  ///< seconds since 1970
    grain::knowledge what = {};
    bool is_new = true;  ///< not in the file yet
  };
  using key = std::vector<std::string>;  ///< program, machine, phase, workers
  using table = std::map<key, std::vector<entry>>;

  static void insert(table& into, const key& of, entry e);
  static void read(const std::string& file, table& into);
  key key_of(std::string_view phase, int workers) const;

  std::string machine_;
  std::string file_;
  table all_;
};

/// Gives MASLIN_LEARNED, or `otherwise` where it is not set; empty for "off".
std::string learned_file(std::string otherwise);

}  // namespace maslin
