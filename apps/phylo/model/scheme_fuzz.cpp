// Any bytes as a partition file: partitions whose text gives them back and that divide the sites of an alignment, or an
// `input_error`.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check.hpp"
#include "phylo/model/scheme.hpp"

namespace {

/// Each of so many sites is in one partition, or the user is told which is not.
void check_division(phylo::Scheme scheme, std::size_t sites) {
  std::vector<int> owners;
  try {
    scheme.fit(sites, false);
    owners = scheme.parts_of_sites(sites);
  } catch (const phylo::input_error& e) {
    check_message(e);
    return;
  }
  check(owners.size() == sites);
  const phylo::Alphabets alphabets = scheme.alphabets(sites);
  for (std::size_t site = 0; site < sites; ++site) {
    check(owners[site] >= 0 && static_cast<std::size_t>(owners[site]) < scheme.parts.size());
    check(&alphabets.of(site) == scheme.parts[static_cast<std::size_t>(owners[site])].model.alphabet);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  phylo::Scheme scheme;
  try {
    scheme = phylo::parse_scheme({reinterpret_cast<const char*>(data), size}, "partitions");
  } catch (const phylo::input_error& e) {
    check_message(e);
    return 0;
  }
  const std::string text = phylo::to_string(scheme);
  const phylo::Scheme again = phylo::parse_scheme(text, "again");
  check(again.parts.size() == scheme.parts.size() && phylo::to_string(again) == text);
  std::size_t last = 1;
  for (std::size_t part = 0; part < again.parts.size(); ++part) {
    const phylo::SchemePart &one = scheme.parts[part], &other = again.parts[part];
    check(one.model == other.model && one.name == other.name && one.ranges == other.ranges);
    for (const phylo::SiteRange& range : one.ranges) last = std::max(last, range.last);
  }
  check_division(scheme, std::min<std::size_t>(last, 5000));
  return 0;
}
