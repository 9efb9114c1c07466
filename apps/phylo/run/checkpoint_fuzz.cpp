// Any bytes as a finished tree, with the checksum that they should have: a tree that comes back from its record, or an
// `input_error`.

#include "phylo/run/checkpoint.hpp"

#include <cstdint>
#include <string>

#include "cli/shared/digest.hpp"
#include "fuzz/check.hpp"
#include "phylo/io/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string stamp = "00112233445566778";
  std::string text(reinterpret_cast<const char*>(data), size);
  if (size % 8 != 0) text += "checksum " + command::hex(command::digest(text)) + "\n";  // some are left as they are
  phylo::FinishedTree tree;
  try {
    tree = phylo::parse_record(text, stamp);
  } catch (const phylo::input_error& e) {
    check_message(e);
    return 0;
  }
  const phylo::FinishedTree again = phylo::parse_record(phylo::format_record(tree, stamp), stamp);
  check(again.id == tree.id && again.lnl == tree.lnl && again.seconds == tree.seconds && again.model == tree.model);
  check(again.newick == tree.newick && again.part_newicks == tree.part_newicks);
  return 0;
}
