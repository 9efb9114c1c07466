#include "phylo/run/inputs.hpp"

#include <cstdio>

#include "phylo/io/error.hpp"
#include "phylo/io/text.hpp"
#include "phylo/like/kernels.hpp"
#include "phylo/model/notation.hpp"

namespace phylo {

Alignment read_msa(const std::string& file, bool quiet) {
  Alignment alignment = read_alignment(file);
  const int dropped = drop_undetermined_columns(alignment);
  if (dropped > 0 && !quiet)
    std::fprintf(stderr, "maslin-phylo: note: %s: %d of %d columns have no determined base and are left out\n",
                 file.c_str(), dropped, dropped + alignment.sites());
  return alignment;
}

Model read_model(const ModelChoice& choice) {
  if (!choice.text.empty() && !choice.file.empty())
    throw input_error("--model and --model-file are both given; give one of them");
  if (choice.file.empty()) {
    if (choice.text.empty()) throw input_error("no model is given; say --model GTR+G, or --model-file FILE");
    return parse_model(choice.text, "--model");
  }
  const std::string text = read_text(choice.file);
  const std::size_t end = text.find_last_not_of(" \t\v\f\n");
  if (end == text.npos)
    fail(choice.file, "the file is empty; expected a model, as in GTR{1/2/1/1/2/1}+FU{0.3/0.2/0.2/0.3}+G4m{0.5}");
  const std::string model = text.substr(0, end + 1);
  if (const std::size_t line_end = model.find('\n'); line_end != model.npos)
    fail(choice.file, position_of(text, line_end + 1), "a second line; expected one model in one line");
  return parse_model(model, choice.file);
}

const char* instruction_set() { return choose_kernels().name; }

}  // namespace phylo
