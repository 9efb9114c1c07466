#pragma once
// The settings that the environment gives: what `maslin settings` prints, and the table of docs/environment.md.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maslin/api.hpp"

namespace maslin {

/// One of the words that a setting may be.
struct setting_word {
  std::string_view word;
  std::string_view meaning = {};  ///< a clause; may be empty
};

/// A variable of the environment. Texts are Markdown with links as from docs/; `plain` gives them for terminals.
struct setting {
  /// The form of its value.
  enum class kind : std::uint8_t {
    words,   ///< one of them; a flag is 0 or 1
    number,  ///< from `least` to `most`
    size,    ///< such a number of bytes; K or M may follow
    file,    ///< a path
    text     ///< a form of its own
  };
  /// Where it counts.
  enum class reach : std::uint8_t {
    everywhere,
    here,       ///< not on described machines
    described,  ///< only there
    phylo       ///< the tool maslin-phylo
  };
  static constexpr std::uint64_t no_bound = std::uint64_t{1} << 40;
  static constexpr int most_words = 8;

  const char* name = nullptr;
  kind is = kind::text;
  reach counts = reach::everywhere;
  setting_word words[most_words] = {};  ///< those that have a name
  std::uint64_t least = 0;              ///< of a number
  std::uint64_t most = no_bound;
  std::string_view unit = {};
  std::string_view form = {};       ///< of a file or a text
  std::string_view otherwise = {};  ///< the value that counts if it is not set; empty where no value says it
  std::string_view unset = {};      ///< what counts then, in words; empty where `otherwise` says it
  std::string_view help = {};       ///< one sentence
  std::string_view more = {};       ///< the rest, for its page
};

/// Gives all settings, in the order of their page.
MASLIN_API std::span<const setting> settings() noexcept;

/// Gives what the setting may be.
MASLIN_API std::string values_of(const setting& of);
/// Gives what counts if it is not set.
MASLIN_API std::string unset_value_of(const setting& of);
/// Gives the text without the marks of Markdown.
MASLIN_API std::string plain(std::string_view markdown);

/// Gives the value that the environment gives it; empty if it gives none.
MASLIN_API std::string given_value_of(const setting& of);
/// Gives what is wrong with the value that the environment gives it; empty if nothing is. Files that would be written
/// are not tried.
MASLIN_API std::string problem_with(const setting& of);

/// Gives the setting whose name is meant by that one, which is nearly the same; empty if none is.
MASLIN_API std::string_view nearest_setting(std::string_view name);

/// A variable of the environment that is no setting, but nearly has the name of one.
struct misspelt_setting {
  std::string name;
  std::string_view meant;
};
/// Gives those of this process.
MASLIN_API std::vector<misspelt_setting> misspelt_settings();

}  // namespace maslin
