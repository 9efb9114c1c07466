// Any bytes as a search that has begun: one that could go on and is written as it was read, or an `input_error` or
// exception of the JSON reader.

#include "phylo/run/begun_search.hpp"

#include <cstdint>
#include <string_view>

#include "fuzz/check.hpp"
#include "phylo/io/error.hpp"
#include "phylo/model/notation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  phylo::Patterns patterns;
  patterns.taxa = 5;
  const phylo::Parts parts{{"a", patterns, phylo::parse_model("GTR+G")}, {"b", patterns, phylo::parse_model("JC+R2")}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const phylo::BegunSearch begun = phylo::to_begun_search(phylo::record_json::parse(text), parts);
    check(begun.state.tree.complete() && begun.state.tree.tips() == 5);
    check(begun.state.models.size() == 2 && begun.state.curvatures.size() == 2);
    const auto written = phylo::to_json(begun);
    check(phylo::to_json(phylo::to_begun_search(written, parts)) == written);
  } catch (const phylo::input_error& e) {
    check_message(e);
  } catch (const phylo::record_json::exception&) {
  }
  return 0;
}
