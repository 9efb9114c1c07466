#include "phylo/run/inputs.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "phylo/io/error.hpp"
#include "phylo/io/text.hpp"
#include "phylo/like/kernels.hpp"
#include "phylo/model/notation.hpp"

namespace phylo {

namespace {

/// Gives the share of A, C, G and T among the characters that say something.
double share_of_bases(const Alignment& alignment) {
  std::size_t bases = 0, all = 0;
  for (const std::string& row : alignment.rows)
    for (const char c : row) {
      if (c == '-') continue;
      ++all;
      bases += c == 'A' || c == 'C' || c == 'G' || c == 'T';
    }
  return all == 0 ? 1 : static_cast<double>(bases) / static_cast<double>(all);
}

/// Gives another alphabet that can read the whole text; null if there is none.
const Alphabet* other_alphabet(const std::string& text, const std::string& file, const Alphabet& tried) {
  for (const Alphabet* other :
       {&dna_alphabet(), &binary_alphabet(), &protein_alphabet(), &multistate_alphabet(most_states)}) {
    if (other->type == tried.type) continue;
    try {
      parse_alignment(text, file, *other);
      return other;
    } catch (const input_error&) {
    }
  }
  return nullptr;
}

/// Throws unless the characters are as one expects them: few of amino acids are letters of bases, most of DNA are.
void check_content(const Alignment& alignment, const Model& model) {
  constexpr double fewest_in_dna = 0.5, most_in_protein = 0.9;
  const double share = share_of_bases(alignment);
  const bool odd_dna = alignment.alphabet->type == DataType::dna && share < fewest_in_dna;
  const bool odd_protein = alignment.alphabet->type == DataType::protein && share > most_in_protein;
  if (!odd_dna && !odd_protein) return;
  const Alphabet& other = odd_dna ? protein_alphabet() : dna_alphabet();
  fail(alignment.file,
       fmt::format(
           "this looks like {}: {:.0f} % of its characters are A, C, G or T; but --model {} is one of {}; give a "
           "model of {}, as in {}, or say --data-type {} if that is what the file holds",
           other.name, 100 * share, to_string(model), model.alphabet->name, other.name, other.models,
           model.alphabet->word));
}

}  // namespace

Alignment read_msa(const std::string& file, const std::string& data_type, const Model& model, bool quiet) {
  const Alphabet& alphabet = *model.alphabet;
  if (data_type != "auto" && data_type != alphabet.word)
    throw input_error(
        fmt::format("--data-type {}: the model {} is one of {} (--data-type {}); give a model of that data", data_type,
                    to_string(model), alphabet.name, alphabet.word));
  const std::string text = read_text(file);
  Alignment alignment;
  try {
    alignment = parse_alignment(text, file, alphabet);
  } catch (const input_error& e) {
    const Alphabet* other = other_alphabet(text, file, alphabet);
    if (other == nullptr) throw;
    throw input_error(fmt::format("{}; all of this file can be read as {}, for which there are other models, as {}",
                                  e.what(), other->name, other->models));
  }
  if (model.partition_sites != 0 && model.partition_sites != alignment.sites())
    throw input_error(
        fmt::format("{}: {} sites, but the model is for sites 1 to {}; partitions are not supported, so it "
                    "must be for all",
                    file, alignment.sites(), model.partition_sites));
  if (data_type == "auto") check_content(alignment, model);
  const int dropped = drop_undetermined_columns(alignment);
  if (dropped > 0 && !quiet)
    std::fprintf(stderr, "maslin-phylo: note: %s: %d of %d columns have no determined %s and are left out\n",
                 file.c_str(), dropped, dropped + alignment.sites(), std::string(alphabet.unit).c_str());
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
