#include "phylo/run/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "cli/shared/terminal.hpp"
#include "phylo/io/error.hpp"
#include "phylo/io/notes.hpp"
#include "phylo/io/text.hpp"
#include "phylo/like/kernels.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/run/criteria.hpp"
#include "phylo/tree/unlinked.hpp"

namespace phylo {

namespace {

/// What the characters of some sites say of what they are.
struct Composition {
  double bases = 1;       ///< the share of A, C, G and T among those that say something
  bool genotypes = true;  ///< all are codes of genotypes, as bases are, ambiguous ones, and ten of the amino acids
  std::size_t columns = 0;
};

/// Of all sites if `counted` is empty. N is an amino acid, but says nothing where all characters are codes of
/// genotypes.
Composition composition_of(const Alignment& alignment, const std::vector<char>& counted) {
  std::array<std::size_t, 256> seen{};
  for (const std::string& row : alignment.rows)
    for (std::size_t site = 0; site < row.size(); ++site)
      if (counted.empty() || counted[site]) ++seen[static_cast<unsigned char>(row[site])];
  Composition out;
  for (std::size_t c = 0; c < seen.size(); ++c)
    out.genotypes &= seen[c] == 0 || genotype_alphabet().find(static_cast<char>(c)) != Alphabet::no_code;
  seen['-'] = 0;
  if (out.genotypes) seen['N'] = 0;
  const std::size_t all = std::accumulate(seen.begin(), seen.end(), std::size_t{0});
  const std::size_t bases = seen['A'] + seen['C'] + seen['G'] + seen['T'];
  if (all > 0) out.bases = static_cast<double>(bases) / static_cast<double>(all);
  out.columns = counted.empty() ? static_cast<std::size_t>(alignment.sites())
                                : static_cast<std::size_t>(std::count(counted.begin(), counted.end(), char{1}));
  return out;
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

/// Throws unless the characters of an alphabet's sites are as one expects them: few of amino acids are letters of
/// bases, some are no letters of genotypes; most of DNA are letters of bases.
void check_content(const Alignment& alignment, const Alphabet& alphabet, const Scheme& scheme,
                   const std::vector<int>& owners) {
  constexpr double fewest_in_dna = 0.5, most_in_protein = 0.9;
  // About half of amino acids have letters of genotypes: by chance, all of so many columns have in one of a million.
  constexpr std::size_t fewest_columns = 20;
  const auto of_alphabet = [&](const SchemePart& part) { return part.model.alphabet == &alphabet; };
  const auto& parts = scheme.parts;
  const auto first = std::find_if(parts.begin(), parts.end(), of_alphabet);
  if (first == parts.end()) return;
  std::vector<char> counted;
  if (!std::all_of(parts.begin(), parts.end(), of_alphabet))
    for (const int owner : owners) counted.push_back(of_alphabet(parts[static_cast<std::size_t>(owner)]));
  const Composition found = composition_of(alignment, counted);
  const bool genotypes = found.genotypes && found.bases <= most_in_protein;
  const bool odd_dna = alphabet.type == DataType::dna && found.bases < fewest_in_dna;
  const bool odd_protein = alphabet.type == DataType::protein &&
                           (found.bases > most_in_protein || (genotypes && found.columns >= fewest_columns));
  if (!odd_dna && !odd_protein) return;
  const Alphabet& other = genotypes ? genotype_alphabet() : odd_protein ? dna_alphabet() : protein_alphabet();
  fail(alignment.file, alignment.begin,
       fmt::format(
           "this looks like {}: {:.0f} % of its characters are A, C, G or T; but --model {} is one of {}; give a "
           "model of {}, as in {}, or say --data-type {} if that is what the file holds",
           other.name, 100 * found.bases, to_string(first->model), alphabet.name, other.name, other.models,
           alphabet.word));
}

Alignment read_msa(const std::string& file, const Scheme& scheme) {
  const std::string text = read_text(file);
  const Alphabets alphabets = scheme.alphabets(text.size());
  try {
    return parse_alignment(text, file, alphabets);
  } catch (const input_error& e) {
    const Alphabet* other = alphabets.by_site.empty() ? other_alphabet(text, file, *alphabets.one) : nullptr;
    if (other == nullptr) throw;
    throw input_error(fmt::format("{}; all of this file can be read as {}, for which there are other models, as {}",
                                  e.what(), other->name, other->models));
  }
}

/// Throws when a part has columns that are the same in all taxa, or may be, though its model says that it has none.
void check_variation(const Data& data, std::size_t index) {
  const SchemePart& part = data.scheme.parts[index];
  const Patterns& patterns = data.parts[index].patterns;
  const std::vector<std::uint32_t> common = common_states(patterns);
  const std::size_t constant = constant_sites(patterns);
  if (constant == 0) return;
  std::size_t first = 0;
  while (common[static_cast<std::size_t>(patterns.pattern_of_site[first])] == 0) ++first;
  std::vector<std::size_t> sites;
  for (std::size_t site = 0; site < data.columns.size(); ++site)
    if (data.owners[site] == static_cast<int>(index)) sites.push_back(data.columns[site]);
  fail(data.alignment.file, data.alignment.begin,
       fmt::format("{} of {} sites{} are the same in all taxa, or may be, the first of them is {}; but +{} is for data "
                   "from which such sites were left out; take them out, or leave +{} out of the model",
                   constant, patterns.sites(), part.name.empty() ? std::string() : " of partition " + shown(part.name),
                   sites[first] + 1, to_string(part.model.ascertainment), to_string(part.model.ascertainment)));
}

/// Gives the columns of a part.
Alignment columns_of(const Alignment& alignment, const std::vector<int>& owners, int part, const Alphabet& alphabet) {
  Alignment out;
  out.alphabet = &alphabet;
  out.file = alignment.file;
  out.names = alignment.names;
  for (const std::string& row : alignment.rows) {
    std::string& to = out.rows.emplace_back();
    for (std::size_t site = 0; site < owners.size(); ++site)
      if (owners[site] == part) to += row[site];
  }
  return out;
}

}  // namespace

int Data::patterns() const {
  int all = 0;
  for (const Part& part : parts) all += part.patterns.count;
  return all;
}

std::string Data::kinds() const {
  std::string text;
  std::vector<const Alphabet*> named;
  for (const Part& part : parts) {
    const Alphabet* alphabet = part.patterns.alphabet;
    if (std::find(named.begin(), named.end(), alphabet) != named.end()) continue;
    named.push_back(alphabet);
    text += (text.empty() ? "" : " and ") + std::string(alphabet->name);
  }
  return text;
}

Tree Data::mean_lengths(const Tree& tree) const {
  return tree.lengths() == 1 ? tree : phylo::mean_lengths(tree, sites_of(parts));
}

std::string Data::models() const {
  if (parts.size() == 1) return to_string(scheme);
  std::string text;
  for (const char c : to_string(scheme)) text += c == '\n' ? std::string("; ") : std::string(1, c);
  return fmt::format("{} (--brlen {})", text, to_string(linkage));
}

const char* to_string(Linkage linkage) {
  return linkage == Linkage::linked ? "linked" : linkage == Linkage::scaled ? "scaled" : "unlinked";
}

Data read_data(const std::string& msa, const std::string& data_type, const ModelChoice& choice,
               const std::string& brlen, bool quiet) {
  Data data;
  data.scheme = read_scheme(choice);
  auto& wanted = data.scheme.parts;
  for (const SchemePart& part : wanted)
    if (data_type != "auto" && data_type != part.model.alphabet->word)
      throw input_error(
          fmt::format("--data-type {}: the model {} is one of {} (--data-type {}); give a model of that data",
                      data_type, to_string(part.model), part.model.alphabet->name, part.model.alphabet->word));
  if (wanted.size() > 1 && brlen == "scaled") data.linkage = Linkage::scaled;
  if (wanted.size() > 1 && brlen == "unlinked") data.linkage = Linkage::unlinked;
  data.alignment = read_msa(msa, data.scheme);
  const auto sites = static_cast<std::size_t>(data.alignment.sites());
  data.scheme.fit(sites, data.unlinked());
  for (SchemePart& part : wanted) {
    if (data.linkage == Linkage::scaled && part.model.speed == 1 && part.tree_length == 0)
      part.model.speed_from = Origin::optimized;
    if (data.unlinked() && part.model.speed != 1)
      fail(data.scheme.source, part.ranges.front().at,
           fmt::format(
               "partition {} has the speed {} (+BU), but with --brlen unlinked it has branch lengths of its own; "
               "leave the speed out, or say --brlen scaled",
               shown(part.name), part.model.speed));
  }
  const std::vector<int> owners = data.scheme.parts_of_sites(sites);
  if (data_type == "auto")
    for (const Alphabet* alphabet : {&dna_alphabet(), &protein_alphabet()})
      check_content(data.alignment, *alphabet, data.scheme, owners);
  data.notes = notes_on(data.alignment);
  data.width = owners.size();
  data.columns = drop_undetermined_columns(data.alignment);
  for (const std::size_t column : data.columns) data.owners.push_back(owners[column]);
  if (const std::size_t dropped = data.width - data.columns.size(); dropped > 0)
    data.notes.push_back(fmt::format("{} of {} columns have no determined {} and are left out", dropped, data.width,
                                     data.alignment.alphabet->unit));
  const auto tell = [&](const std::string& note) {
    if (!quiet) command::tell(fmt::format("maslin-phylo: note: {}: {}\n", shown_path(msa), note));
  };
  for (const std::string& note : data.notes) tell(note);
  std::size_t constant = 0;
  for (std::size_t p = 0; p < wanted.size(); ++p) {
    const Alphabet& alphabet = *wanted[p].model.alphabet;
    Alignment columns;
    if (wanted.size() > 1) columns = columns_of(data.alignment, data.owners, static_cast<int>(p), alphabet);
    const Alignment& of_part = wanted.size() > 1 ? columns : data.alignment;
    if (of_part.sites() == 0)
      fail(data.scheme.source, wanted[p].ranges.front().at,
           fmt::format("no column of partition {} has a determined {} in {}; leave these sites out of both files",
                       shown(wanted[p].name), alphabet.unit, shown_path(msa)));
    data.parts.push_back({wanted[p].name, compress(of_part), wanted[p].model});
    count_invariant(data.parts.back().model, data.parts.back().patterns);
    if (wanted[p].model.ascertained()) check_variation(data, p);
    constant += constant_sites(data.parts.back().patterns);
  }
  const auto add = [&](const std::string& note) {
    data.notes.push_back(note);
    tell(note);
  };
  if (const auto note = note_on_constant(constant, data.columns.size(), data.alignment.taxa())) add(*note);
  if (const int parameters = parameters_of(data); data.parts.size() > 1 && parameters >= data.alignment.sites())
    add(fmt::format(
        "{} free parameters for {} sites in {} partitions; chance fits much of that, so take fewer partitions{}",
        parameters, data.alignment.sites(), data.parts.size(),
        data.unlinked() ? ", or --brlen scaled, which needs fewer branch lengths" : ""));
  return data;
}

Scheme read_scheme(const ModelChoice& choice) {
  if (choice.file.empty()) {
    if (choice.text.empty()) throw input_error("no model is given; say --model GTR+G, or --model-file FILE");
    return parse_scheme(choice.text, "--model");
  }
  const std::string text = read_text(choice.file);
  if (text.find_first_not_of(" \t\v\f\n") == text.npos)
    fail(choice.file, {1, 1},
         "the file is empty; expected a model, as in GTR{1/2/1/1/2/1}+FU{0.3/0.2/0.2/0.3}+G4m{0.5}");
  if (choice.text.empty()) return parse_scheme(text, choice.file);
  const Model beside = parse_model(choice.text, "--model");
  return parse_scheme(text, choice.file, &beside);
}

const char* instruction_set() { return choose_kernels().name; }

}  // namespace phylo
