#include "phylo/model/notation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "phylo/io/error.hpp"
#include "phylo/io/text.hpp"
#include "phylo/model/gamma.hpp"
#include "phylo/model/iqtree_names.hpp"
#include "phylo/model/matrix_file.hpp"

namespace phylo {
namespace {

/// A model of DNA.
struct NamedDna {
  std::string_view name, ties;
  bool equal_frequencies = false;
};

/// As RAxML-NG names them.
constexpr NamedDna dna_models[] = {
    {"JC", "000000", true},     {"F81", "000000"},    {"K80", "010010", true},   {"HKY", "010010"},
    {"TN93ef", "010020", true}, {"TN93", "010020"},   {"K81", "012210", true},   {"K81uf", "012210"},
    {"TPM2", "010212", true},   {"TPM2uf", "010212"}, {"TPM3", "012012", true},  {"TPM3uf", "012012"},
    {"TIM1", "012230", true},   {"TIM1uf", "012230"}, {"TIM2", "010232", true},  {"TIM2uf", "010232"},
    {"TIM3", "012032", true},   {"TIM3uf", "012032"}, {"TVMef", "012314", true}, {"TVM", "012314"},
    {"SYM", "012345", true},    {"GTR", "012345"}};

/// Another model that stands on its own.
struct Named {
  std::string_view name;
  Family family;
  const Alphabet& (*alphabet)();
  std::string_view ties = "012345";
};

/// Those of genotypes have two names in RAxML-NG; the first one is written.
constexpr Named families[] = {
    {"PROTGTR", Family::protein_gtr, protein_alphabet},
    {"BIN", Family::binary, binary_alphabet},
    {"GTJC", Family::genotype_jc, genotype_alphabet},
    {"GT10JC", Family::genotype_jc, genotype_alphabet},
    {"GTHKY4", Family::genotype_dna, genotype_alphabet, "010010"},
    {"GT10HKY", Family::genotype_dna, genotype_alphabet, "010010"},
    {"GTGTR4", Family::genotype_dna, genotype_alphabet},
    {"GT10", Family::genotype_dna, genotype_alphabet},
    {"GTGTR", Family::genotype_gtr, genotype_alphabet},
    {"GT10GTR", Family::genotype_gtr, genotype_alphabet},
};

template <class Table>
auto find_named(const Table& table, std::string_view name) {
  const auto at =
      std::find_if(std::begin(table), std::end(table), [&](const auto& one) { return same_word(one.name, name); });
  return at == std::end(table) ? nullptr : &*at;
}

constexpr int most_categories = 64;

/// Reads one model from the left; every error names the column it stands at.
class Reader {
 public:
  Reader(std::string_view text, std::string_view source, position start, Notation notation)
      : text_(text), source_(source), start_(start), of_iqtree_(notation == Notation::iqtree) {}

  Model read() {
    skip_blanks();
    read_family();
    while (true) {
      skip_blanks();
      if (at_ == text_.size()) break;
      if (text_[at_] != '+') error(at_, "expected '+' and F, G, R, I, ASC or BU, or the end");
      const std::size_t start = at_++;
      skip_blanks();
      const char what = peek();
      if (what == 'F')
        once(start, frequencies_seen_, "frequencies (+F)"), read_frequencies();
      else if (what == 'G')
        once(start, categories_seen_, "categories of rates (+G or +R)"), read_gamma();
      else if (what == 'R')
        once(start, categories_seen_, "categories of rates (+G or +R)"), read_free_categories();
      else if (what == 'I')
        once(start, invariant_seen_, "invariant sites (+I)"), read_invariant();
      else if (what == 'A')
        once(start, ascertained_seen_, "ascertainment correction (+ASC)"), read_ascertainment();
      else if (what == 'B')
        once(start, speed_seen_, "the speed (+BU)"), read_speed();
      else
        error(at_,
              "expected +F (frequencies), +G (gamma), +R (free rates), +I (invariant sites), +ASC_LEWIS (no constant "
              "sites; also +ASC_FELS, +ASC_STAM) or +BU (speed)");
    }
    if (model_.mixture != nullptr && model_.mixture->free_rates && !categories_seen_) take_free_categories();
    if (model_.ascertained() && model_.with_invariant)
      error(0, "+I and +ASC exclude each other: one has sites that never change, the other data without such sites");
    return model_;
  }

 private:
  [[noreturn]] void error(std::size_t at, const std::string& expected) const {
    const std::string found = at < text_.size() ? shown(text_.substr(at, 12)) : std::string("the end");
    fail(std::string(source_), {start_.line, start_.column + at},
         fmt::format("model {}: found {} at column {}; {} (for example GTR+G, HKY+F+I+G4)", shown(text_), found, at + 1,
                     expected));
  }

  char peek() const {
    return at_ < text_.size() ? static_cast<char>(std::toupper(static_cast<unsigned char>(text_[at_]))) : '\0';
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  void once(std::size_t start, bool& seen, const char* what) const {
    if (seen) error(start, fmt::format("{} may stand only once", what));
    seen = true;
  }

  void read_family() {
    const std::size_t start = at_;
    std::string name;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '_' || peek() == '-' || peek() == '.')
      name += peek(), ++at_;
    const std::string written = name;
    if (of_iqtree_) {
      equal_by_name_ = name == "JC2";
      if (const std::string_view ours = find_iqtree_name(name); !ours.empty())
        name = ours;
      else if (name.size() == 6 && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '5'; }))
        name = "DNA" + name;
    }
    if (const NamedDna* const dna = find_named(dna_models, name))
      model_ = dna_model(std::string(dna->ties), dna->equal_frequencies);
    else if (const Named* const found = find_named(families, name))
      model_ = model_of(found->family, found->alphabet()), model_.ties = found->ties;
    else if (const ProteinMatrix* const matrix = find_protein_matrix(name))
      model_ = model_of(*matrix);
    else if (const ProteinMixture* const mixture = find_protein_mixture(name))
      model_ = model_of(*mixture);
    else if (!read_multistate(name) && !read_ties(name))
      error(start, expected_names(written));
    if (of_iqtree_ && model_.family == Family::dna && !model_.equal_frequencies)
      model_.frequencies_from = Origin::empirical;
    if (equal_by_name_) model_.frequencies_from = Origin::fixed;
    if (peek() == '{') read_rates();
  }

  /// MULTI4_MK and the like.
  bool read_multistate(std::string_view name) {
    constexpr std::string_view prefix = "MULTI";
    if (!name.starts_with(prefix)) return false;
    int states = 0;
    const char* const end = name.data() + name.size();
    const auto [rest, status] = std::from_chars(name.data() + prefix.size(), end, states);
    const std::string_view kind(rest, static_cast<std::size_t>(end - rest));
    if (status != std::errc{} || states < 2 || states > most_states || (kind != "_MK" && kind != "_GTR")) return false;
    model_ = model_of(kind == "_MK" ? Family::multistate_mk : Family::multistate_gtr, multistate_alphabet(states));
    return true;
  }

  /// DNA010020 and the like.
  bool read_ties(std::string_view name) {
    constexpr std::string_view prefix = "DNA";
    if (!name.starts_with(prefix) || name.size() != prefix.size() + 6) return false;
    const std::string ties(name.substr(prefix.size()));
    char next = '0';
    for (const char tie : ties) {
      if (tie < '0' || tie > next) return false;
      if (tie == next) ++next;
    }
    model_ = dna_model(ties, false);
    return true;
  }

  /// Gives the model that a name of RAxML's means (GTRGAMMAI, PROTCATLGF), as it is written here; nothing for others.
  static std::string meant_in_raxml(std::string_view written) {
    for (const std::string_view variation : {"GAMMA", "CAT"}) {
      const std::size_t at = written.find(variation);
      if (at == written.npos) continue;
      const std::string_view data = written.substr(0, at);
      std::string_view matrix = written.substr(at + variation.size());
      const bool invariant = matrix.starts_with('I');
      if (invariant) matrix.remove_prefix(1);
      const char* const rates = invariant ? "+I+G" : "+G";
      if (data == "GTR" || data == "BIN") return matrix.empty() ? fmt::format("{}{}", data, rates) : "";
      if (data != "PROT") return {};
      // Those of mixtures: +G of LG4M and +R of LG4X go without saying.
      if (const ProteinMixture* const mixture = find_protein_mixture(matrix))
        return invariant || variation == "CAT" ? "" : std::string(mixture->name);
      const bool counted = find_protein_matrix(matrix) == nullptr && matrix.ends_with('F');
      if (counted) matrix.remove_suffix(1);
      const ProteinMatrix* const known = find_protein_matrix(matrix);
      if (known == nullptr && matrix != "GTR") return {};
      return fmt::format("{}{}{}", known != nullptr ? known->name : "PROTGTR", counted ? "+F" : "", rates);
    }
    return {};
  }

  /// What can stand for a name that is none, with the one that was meant if there is one that is near.
  std::string expected_names(const std::string& written) const {
    if (const std::string meant = meant_in_raxml(written); !meant.empty())
      return fmt::format("this is a name of RAxML's; expected {} in its place", meant);
    if (written == "DNA" || written == "DNAF" || written == "DNAX")
      return fmt::format(
          "{} is a kind of data, as in files of RAxML; expected a model in its place, such as GTR+G, or --model beside "
          "the file",
          written);
    if (!written.empty() && (written.back() == 'F' || written.back() == 'X'))
      if (const ProteinMatrix* const matrix =
              find_protein_matrix(std::string_view(written).substr(0, written.size() - 1)))
        return fmt::format("this is a name of RAxML's; expected {}+{} in its place, or --model beside the file",
                           matrix->name, written.back() == 'F' ? "F" : "FO");
    if (of_iqtree_ && (written == "MK" || written == "ORDERED"))
      return "expected a model that says how many states there are, such as MULTI4_MK";
    const std::string text = "expected a model; maslin-phylo search --help lists them";
    std::vector<std::string> names;
    if (of_iqtree_)
      for (const IqtreeName& one : iqtree_dna_models()) names.emplace_back(one.theirs);
    else
      for (const NamedDna& dna : dna_models) names.emplace_back(dna.name);
    for (const Named& f : families) names.emplace_back(f.name);
    for (const ProteinMatrix* matrix : protein_matrices()) names.emplace_back(matrix->name);
    for (const ProteinMixture* mixture : protein_mixtures()) names.emplace_back(mixture->name);
    // What was written has been turned to capitals.
    std::vector<std::string> capitals = names;
    for (std::string& name : capitals)
      for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const std::string meant = nearest_name(written, capitals);
    if (meant.empty()) return text;
    const auto at = std::find(capitals.begin(), capitals.end(), meant) - capitals.begin();
    return fmt::format("did you mean {}? {}", names[static_cast<std::size_t>(at)], text);
  }

  void read_rates() {
    const std::size_t start = at_;
    if (read_matrix_file()) return;
    auto values = read_values();
    const auto tied = tied_rates(model_);
    const std::size_t count = model_.rates.size();
    const auto different = static_cast<std::size_t>(*std::max_element(tied.begin(), tied.end())) + 1;
    if (different == 1) error(start, "this model has no rates to give");
    if (of_iqtree_ && separator_ != '/' && model_.family == Family::dna) add_unit(start, rate_groups(model_), values);
    const bool transitions = model_.family == Family::dna && model_.ties == "010010";
    if (transitions && values.size() == 1) values.insert(values.begin(), {1.0, values[0].second});
    if (values.size() == different && different < count) {
      const auto of_tie = std::exchange(values, {});
      for (const int tie : tied) values.push_back(of_tie[static_cast<std::size_t>(tie)]);
    }
    const bool of_genotypes = model_.family == Family::genotype_dna;
    if (values.size() != count)
      error(start, transitions ? "expected one rate {transitions over transversions}"
                   : of_genotypes
                       ? fmt::format("expected {} rates {{both bases/{}}}, not {}", different,
                                     different == 3 ? "transversions/transitions" : "AC/AG/AT/CG/CT/GT", values.size())
                   : different < count
                       ? fmt::format("expected {} different rates, or six {{AC/AG/AT/CG/CT/GT}}", different)
                   : count == 6 ? "expected six rates {AC/AG/AT/CG/CT/GT}"
                                : fmt::format("expected {} rates, not {}", count, values.size()));
    // Both bases never change at once; two amino acids were never seen in each other's place.
    const auto none = [&](std::size_t i) {
      return values[i].first == 0 && (model_.family == Family::protein_gtr || (of_genotypes && tied[i] == 0));
    };
    for (std::size_t i = 0; i < count; ++i)
      if (!none(i) && !(values[i].first > 0)) error(values[i].second, "expected a rate above 0");
    const double unit = values.back().first > 0 ? values.back().first : 1;
    for (std::size_t i = 0; i < count; ++i) model_.rates[i] = values[i].first / unit;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (tied[i] == tied[j] && model_.rates[i] != model_.rates[j])
          error(values[i].second, "this rate must equal the others that the model ties to it");
    for (std::size_t i = 0; i < count; ++i)
      if (!none(i) && !std::isnormal(model_.rates[i]))
        error(start, "these rates lie too far from each other to be divided");
    model_.rates_from = Origin::fixed;
  }

  /// Reads {FILE}: rates and frequencies in the form of PAML. Gives whether there is such a file.
  bool read_matrix_file() {
    const std::size_t end = std::min(text_.find('}', at_), text_.size());
    std::string_view name = text_.substr(at_ + 1, end - at_ - 1);
    while (!name.empty() && std::isspace(static_cast<unsigned char>(name.back()))) name.remove_suffix(1);
    while (!name.empty() && std::isspace(static_cast<unsigned char>(name.front()))) name.remove_prefix(1);
    std::error_code unknown;
    if (end == text_.size() || !std::filesystem::is_regular_file(name, unknown)) return false;
    if (static_cast<std::size_t>(free_rates(model_)) + 1 != model_.rates.size())
      error(at_, "this model can't take the rates of a file, because some of them are equal by definition");
    read_matrix(std::string(name), model_);
    at_ = end + 1;
    return true;
  }

  /// Makes six rates of those in the notation of IQ-TREE: one for each free parameter, or six where none are tied.
  void add_unit(std::size_t start, const std::vector<int>& groups,
                std::vector<std::pair<double, std::size_t>>& values) const {
    const auto free = static_cast<std::size_t>(groups.back());
    if (free == 5 && values.size() == 6) return;
    if (values.size() != free)
      error(start, fmt::format("expected {} rate{}, not {}: one for each that is free, in the order of AC, AG, AT, CG, "
                               "CT; that of GT is 1",
                               free, free == 1 ? "" : "s", values.size()));
    const auto of_group = std::exchange(values, {});
    for (const int group : groups)
      values.push_back(static_cast<std::size_t>(group) == free ? std::pair(1.0, start)
                                                               : of_group[static_cast<std::size_t>(group)]);
  }

  void read_frequencies() {
    const std::size_t start = at_++;
    if (model_.mixture != nullptr) error(start, "each matrix of this mixture has frequencies of its own");
    const auto states = static_cast<std::size_t>(model_.states());
    char kind = peek();
    if (kind == 'C' || kind == 'O' || kind == 'E' || kind == 'U' || (of_iqtree_ && kind == 'Q'))
      ++at_;
    else
      kind = of_iqtree_ && kind == '{' ? 'U' : 'C';
    if (kind == 'Q') kind = 'E';
    if ((model_.equal_frequencies || equal_by_name_) && kind != 'E')
      error(start, "this model has equal frequencies by definition");
    if (kind == 'C') model_.frequencies_from = Origin::empirical;
    if (kind == 'O') model_.frequencies_from = Origin::optimized;
    if (kind == 'E') {
      model_.frequencies_from = Origin::fixed;
      model_.frequencies.assign(states, 1.0 / model_.states());
    }
    if (kind != 'U') return;
    const std::size_t brace = at_;
    const auto values = read_values();
    const std::string wanted = states == 4 ? "four frequencies" : fmt::format("{} frequencies", states);
    if (values.size() != states)
      error(brace,
            fmt::format("expected {} {{{}}}, not {}", wanted, fmt::join(model_.alphabet->symbols, "/"), values.size()));
    double sum = 0;
    for (const auto& [value, at] : values) {
      if (!(value > 0 && value < 1)) error(at, "expected a frequency between 0 and 1");
      sum += value;
    }
    constexpr double tolerated = 0.01;
    if (std::abs(sum - 1) > tolerated) error(brace, fmt::format("expected {} that sum to 1, not {:.6g}", wanted, sum));
    // What was written with all digits is taken as it is, so that text and model map to each other exactly.
    const double divisor = std::abs(sum - 1) < 1e-12 ? 1 : sum;
    for (std::size_t i = 0; i < states; ++i) model_.frequencies[i] = values[i].first / divisor;
    model_.frequencies_from = Origin::fixed;
  }

  void read_number_of_categories() {
    model_.categories = 4;
    if (!std::isdigit(static_cast<unsigned char>(peek()))) return;
    const std::size_t digits = at_;
    const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), model_.categories);
    at_ = static_cast<std::size_t>(end - text_.data());
    if (status != std::errc{} || model_.categories < 2 || model_.categories > most_categories)
      error(digits, fmt::format("expected 2 to {} categories", most_categories));
    if (model_.mixture != nullptr && model_.categories != static_cast<int>(model_.mixture->matrices.size()))
      error(digits,
            fmt::format("expected {} categories, one for each matrix of the mixture", model_.mixture->matrices.size()));
  }

  /// Free categories, where optimization begins.
  void take_free_categories() {
    constexpr double shape = 0.5;
    set_free_categories(model_, discrete_gamma(shape, model_.categories),
                        std::vector<double>(static_cast<std::size_t>(model_.categories), 1.0));
  }

  void read_free_categories() {
    ++at_;
    read_number_of_categories();
    const auto count = static_cast<std::size_t>(model_.categories);
    if (peek() != '{') return take_free_categories();
    const std::size_t start = at_;
    const auto checked = [&](std::size_t brace, const char* what, const auto& read) {
      std::vector<double> values;
      for (const auto& [value, at] : read) {
        if (!(value > 0)) error(at, fmt::format("expected a {} above 0", what));
        values.push_back(value);
      }
      if (values.size() != count) error(brace, fmt::format("expected {} {}s, not {}", count, what, values.size()));
      return values;
    };
    auto first = read_values();
    std::size_t second_start = at_;
    decltype(first) second;
    if (of_iqtree_ && separator_ == ',') {
      // A share and a rate in turns.
      if (first.size() != 2 * count)
        error(start, fmt::format("expected {} shares and rates {{share,rate,...}}, not {}", 2 * count, first.size()));
      const auto all = std::exchange(first, {});
      for (std::size_t i = 0; i < all.size(); ++i) (i % 2 == 0 ? second : first).push_back(all[i]);
      second_start = start;
    }
    std::vector<double> rates = checked(start, "rate", first);
    if (second.empty()) {
      if (peek() != '{') error(at_, fmt::format("expected the shares of the {} categories in braces", count));
      second = read_values();
    }
    set_free_categories(model_, std::move(rates), checked(second_start, "share", second));
    for (const auto* values : {&model_.free_category_rates, &model_.free_category_shares})
      for (const double value : *values)
        if (!std::isnormal(value)) error(start, "these rates and shares lie too far from each other");
    model_.free_categories_from = Origin::fixed;
  }

  void read_gamma() {
    if (same_word(text_.substr(at_, 5), "GAMMA")) error(at_, "expected +G, +G4, +G4m, or +G4a for medians");
    ++at_;
    read_number_of_categories();
    model_.gamma_medians = peek() == 'A';
    if (model_.gamma_medians || peek() == 'M') ++at_;
    if (peek() != '{') return;
    model_.alpha = read_one("one shape {alpha}", Bounds::alpha_low, Bounds::alpha_high);
    model_.alpha_from = Origin::fixed;
  }

  void read_invariant() {
    if (model_.mixture != nullptr) error(at_, "a mixture of matrices has no frequencies for sites that never change");
    ++at_;
    model_.with_invariant = true;
    if (peek() == 'O' || peek() == 'C') {
      if (peek() == 'C') model_.invariant_from = Origin::empirical;
      ++at_;
      return;
    }
    const bool given = peek() == 'U';
    if (given) ++at_;
    if (!given && peek() != '{') return;
    model_.invariant = read_one("one proportion of invariant sites {p}", 0, Bounds::invariant_high);
    model_.invariant_from = Origin::fixed;
  }

  void read_ascertainment() {
    const std::size_t start = at_;
    std::string word;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '_') word += peek(), ++at_;
    for (const Ascertainment kind : {Ascertainment::lewis, Ascertainment::felsenstein, Ascertainment::stamatakis})
      if (word == to_string(kind)) model_.ascertainment = kind;
    if (word == "ASC") model_.ascertainment = Ascertainment::lewis;
    if (!model_.ascertained())
      error(start, "expected ASC_LEWIS (or ASC), ASC_FELS{sites} or ASC_STAM{sites of each state}");
    if (model_.ascertainment == Ascertainment::lewis) return;
    const std::size_t brace = at_;
    double sum = 0;
    for (const auto& [value, at] : read_values()) {
      if (!(value >= 0 && value <= most_sites))
        error(at, fmt::format("expected a number of sites up to {}", most_sites));
      model_.constant_sites.push_back(value);
      sum += value;
    }
    const bool of_states = model_.ascertainment == Ascertainment::stamatakis;
    const std::size_t wanted = of_states ? static_cast<std::size_t>(model_.states()) : 1;
    if (model_.constant_sites.size() != wanted)
      error(brace, of_states ? fmt::format("expected the constant sites of {} states {{{}}}, not of {}", wanted,
                                           fmt::join(model_.alphabet->symbols, "/"), model_.constant_sites.size())
                             : "expected one number of constant sites {sites}");
    if (sum == 0) error(brace, "expected constant sites: without any, leave +ASC out");
  }

  void read_speed() {
    ++at_;
    if (peek() != 'U') error(at_, "expected U and a speed in braces, as in +BU{1.5}");
    ++at_;
    model_.speed = read_one("one speed {s}", Bounds::speed_low, Bounds::speed_high);
  }

  static constexpr double most_sites = 1e12;

  double read_one(const char* what, double low, double high) {
    const std::size_t start = at_;
    const auto values = read_values();
    if (values.size() != 1) error(start, fmt::format("expected {}", what));
    if (!(values[0].first >= low && values[0].first <= high))
      error(values[0].second, fmt::format("expected {} from {} to {}", what, low, high));
    return values[0].first;
  }

  /// Reads {x/y/...}, in the notation of IQ-TREE also {x,y,...}: the values and where each stands.
  std::vector<std::pair<double, std::size_t>> read_values() {
    if (peek() != '{') error(at_, "expected '{' and values");
    std::vector<std::pair<double, std::size_t>> values;
    separator_ = '\0';
    do {
      if (!values.empty()) separator_ = peek();
      ++at_;
      skip_blanks();
      double value = 0;
      const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (status != std::errc{} || !std::isfinite(value))
        error(at_, values.empty() && std::isalpha(static_cast<unsigned char>(peek()))
                       ? "expected a number, or the name of a file that is there (of rates and frequencies)"
                       : "expected a number");
      values.emplace_back(value, at_);
      at_ = static_cast<std::size_t>(end - text_.data());
      skip_blanks();
    } while (values.size() == 1 ? peek() == '/' || (of_iqtree_ && peek() == ',') : peek() == separator_);
    if (peek() != '}')
      error(at_,
            fmt::format("expected '{}' or '}}'", separator_ == ',' || (of_iqtree_ && values.size() == 1) ? ',' : '/'));
    ++at_;
    return values;
  }

  std::string_view text_;
  std::string_view source_;
  position start_;
  const bool of_iqtree_;
  std::size_t at_ = 0;
  char separator_ = '\0';  // of the values that were read last
  bool equal_by_name_ = false;
  Model model_;
  bool frequencies_seen_ = false;
  bool categories_seen_ = false;
  bool invariant_seen_ = false;
  bool ascertained_seen_ = false;
  bool speed_seen_ = false;
};

std::string name_of(const Model& m) {
  if (m.matrix != nullptr) return std::string(m.matrix->name);
  if (m.mixture != nullptr) return std::string(m.mixture->name);
  if (m.family == Family::multistate_mk) return fmt::format("MULTI{}_MK", m.states());
  if (m.family == Family::multistate_gtr) return fmt::format("MULTI{}_GTR", m.states());
  if (m.family == Family::dna) {
    for (const NamedDna& dna : dna_models)
      if (dna.ties == m.ties && dna.equal_frequencies == m.equal_frequencies) return std::string(dna.name);
    return "DNA" + m.ties;
  }
  return std::string(std::find_if(std::begin(families), std::end(families), [&](const Named& f) {
                       return f.family == m.family && f.ties == m.ties;
                     })->name);
}

/// Gives the rates that stand in braces.
std::vector<double> given_rates(const Model& m) {
  if (m.family == Family::dna && m.ties == "010010") return {m.rates[1]};
  if (m.family != Family::genotype_dna) return m.rates;
  const std::vector<int> tied = tied_rates(m);
  std::vector<double> rates(static_cast<std::size_t>(*std::max_element(tied.begin(), tied.end())) + 1);
  for (std::size_t i = 0; i < tied.size(); ++i) rates[static_cast<std::size_t>(tied[i])] = m.rates[i];
  return rates;
}

std::string write(const Model& m, bool all_values) {
  const auto fixed = [&](Origin origin) { return all_values || origin == Origin::fixed; };
  std::string text = name_of(m);
  if (const int free = free_rates(m); fixed(m.rates_from) && free > 0)
    text += fmt::format("{{{}}}", fmt::join(given_rates(m), "/"));
  if (!m.equal_frequencies) {
    const double part = 1.0 / m.states();
    const bool equal = std::all_of(m.frequencies.begin(), m.frequencies.end(), [&](double f) { return f == part; });
    if (!fixed(m.frequencies_from))
      text += m.frequencies_from == Origin::empirical ? "+FC" : "+FO";
    else if (!has_frequencies_of_matrix(m))
      text += equal ? "+FE" : fmt::format("+FU{{{}}}", fmt::join(m.frequencies, "/"));
  }
  if (m.with_invariant)
    text += fixed(m.invariant_from)                 ? fmt::format("+I{{{}}}", m.invariant)
            : m.invariant_from == Origin::empirical ? "+IC"
                                                    : "+I";
  if (m.has_free_categories()) {
    text += fmt::format("+R{}", m.categories);
    if (fixed(m.free_categories_from))
      text +=
          fmt::format("{{{}}}{{{}}}", fmt::join(m.free_category_rates, "/"), fmt::join(m.free_category_shares, "/"));
  } else if (m.categories > 1) {
    text += fmt::format("+G{}{}", m.categories, m.gamma_medians ? 'a' : 'm');
    if (fixed(m.alpha_from)) text += fmt::format("{{{}}}", m.alpha);
  }
  if (m.ascertained()) text += fmt::format("+{}", to_string(m.ascertainment));
  if (!m.constant_sites.empty()) text += fmt::format("{{{}}}", fmt::join(m.constant_sites, "/"));
  if (fixed(m.speed_from) && m.speed != 1) text += fmt::format("+BU{{{}}}", m.speed);
  return text;
}

}  // namespace

Model parse_model(std::string_view text, std::string_view source, position start, Notation notation) {
  // Blanks around do not belong to the model, so that it may come from a line of a file.
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return Reader(text, source, start, notation).read();
}

const char* to_string(Ascertainment ascertainment) {
  switch (ascertainment) {
    case Ascertainment::lewis:
      return "ASC_LEWIS";
    case Ascertainment::felsenstein:
      return "ASC_FELS";
    case Ascertainment::stamatakis:
      return "ASC_STAM";
    case Ascertainment::complete:
      break;
  }
  return "";
}

std::string to_string(const Model& model) { return write(model, false); }

std::string to_string_with_values(const Model& model) { return write(model, true); }

}  // namespace phylo
