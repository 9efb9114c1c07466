#include "translate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "pragmas.hpp"
#include "syntax.hpp"

namespace compiler {

namespace {

constexpr const char* declarations =
#include "declarations.inc"
    ;
constexpr const char* extents_file = "<extents>";

/// A function whose calls create tasks.
struct task {
  const pragma_line* line;
  pragma says;
  const function* is;
};

struct insertion {
  std::size_t at;
  std::string text;
};

/// Gives the one of that name; null where there is none.
template <class Named>
const Named* find(const std::vector<Named>& in, const std::string& name) {
  const auto found = std::find_if(in.begin(), in.end(), [&](const Named& one) { return one.name == name; });
  return found == in.end() ? nullptr : &*found;
}

void expect_sense(const task& t) {
  const function& f = *t.is;
  const auto wrong = [&](const std::string& what, const std::string& word) {
    throw mistake(t.line->where, what, word);
  };
  if (!f.gives_nothing)
    wrong(fmt::format("a task gives nothing, so '{}' must be a function of type void", f.name), "task");
  if (f.is_variadic)
    wrong(fmt::format("'{}' has a variable number of arguments, which no task can have", f.name), "task");
  for (const parameter& one : f.list)
    if (one.name.empty())
      wrong(fmt::format("the parameters of '{}' have no names here; give them, so that the clauses can name them",
                        f.name),
            "task");
  for (const pragma::parameter& one : t.says.parameters) {
    const parameter* const its = find(f.list, one.name);
    if (!its) {
      std::string names;
      for (const parameter& p : f.list) names += (names.empty() ? "" : ", ") + p.name;
      wrong(fmt::format("'{}' is no parameter of '{}'; it has {}", one.name, f.name, names.empty() ? "none" : names),
            one.name);
    }
    if (!its->is_data) {
      if (one.goes != direction::input)
        wrong(fmt::format("'{}' is passed by value, so '{}' cannot give it back; pass its address", one.name, f.name),
              one.name);
      if (!one.extents.empty()) wrong(fmt::format("'{}' is one value and no array", one.name), one.name);
      continue;
    }
    if (its->is_const && one.goes != direction::input)
      wrong(fmt::format("'{}' points to const data, so it is input and not {}", one.name, name_of(one.goes)), one.name);
    if (one.extents.empty() && its->is_untyped)
      wrong(fmt::format("'{0}' is void*: say how many bytes it points to, as in {1}({0}[bytes])", one.name,
                        name_of(one.goes)),
            one.name);
    if (one.extents.empty() && !its->has_extents && its->text.find('[') != std::string::npos)
      wrong(fmt::format("how large is '{0}'? Say so, as in {1}({0}[n])", one.name, name_of(one.goes)), one.name);
  }
  for (const parameter& one : f.list)
    if (one.is_data && !one.is_untyped && !find(t.says.parameters, one.name))
      wrong(
          fmt::format("'{}' of '{}' is a pointer, and no clause says whether it is input, output or inout; one that is "
                      "only passed on is void*",
                      one.name, f.name),
          "task");
}

/// Gives the type that the parameter is declared with, as one writes it without the name.
std::string type_of(const parameter& one) {
  std::string type = one.text;
  type.erase(one.name_at, one.name.size());
  // `float a[static n]`, which only a parameter may be
  for (const std::string word : {"static", "restrict", "__restrict", "const", "volatile"}) {
    const std::size_t open = type.find('[');
    if (open == std::string::npos) break;
    for (std::size_t at = type.find(word, open); at != std::string::npos; at = type.find(word, at)) {
      const std::size_t behind = at + word.size();
      const bool is_word = !is_of_word(type[at - 1]) && (behind == type.size() || !is_of_word(type[behind]));
      if (is_word)
        type.erase(at, word.size());
      else
        at = behind;
    }
  }
  return type;
}

/// Gives the C expressions of an element's size and of how many there are.
std::pair<std::string, std::string> size_of(const parameter& its, const pragma::parameter& said) {
  const auto subscripted = [&](std::size_t times) {
    std::string made = its.name;
    for (std::size_t i = 0; i < times; ++i) made += "[0]";
    return made;
  };
  const auto rank = static_cast<std::size_t>(its.rank);
  const std::string element = its.is_untyped ? "1ul" : fmt::format("(unsigned long)sizeof({})", subscripted(rank));
  if (said.extents.empty())
    return {element, its.has_extents ? fmt::format("(long)(sizeof({}) / sizeof({}))", type_of(its), subscripted(rank))
                     : rank > 1      ? fmt::format("(long)(sizeof({}) / sizeof({}))", subscripted(1), subscripted(rank))
                                     : std::string("1l")};
  std::string count;
  for (const std::string& extent : said.extents)
    count += fmt::format("{}(long)({})", count.empty() ? "" : " * ", extent);
  if (said.extents.size() < rank)
    count += fmt::format(" * (long)(sizeof({}) / sizeof({}))", subscripted(said.extents.size()), subscripted(rank));
  return {element, count};
}

std::string head_of_creator(const function& f) {
  return fmt::format(
      "static __inline__ __attribute__((__unused__)) void maslin_css_create_{}(const char *maslin_file, "
      "int maslin_line{}{})",
      f.name, f.parameters.empty() ? "" : ", ", f.parameters);
}

/// Gives the body that a task runs, and the function that creates one.
std::string creator(const task& t) {
  const function& f = *t.is;
  std::string members, values, accesses, arguments;
  int count = 0;
  for (const parameter& one : f.list) {
    if (!arguments.empty()) arguments += ", ";
    const pragma::parameter* const said = find(t.says.parameters, one.name);
    if (one.is_data && said) {
      const auto [element, extent] = size_of(one, *said);
      accesses += fmt::format("{}{{ (void *)({}), {}, {}, {}, {} }}", count ? ", " : "", one.name, quoted(one.name),
                              element, extent, static_cast<int>(said->goes));
      arguments += fmt::format("maslin_views[{}].data", count++);
    } else {
      std::string text = one.text;
      if (text.starts_with("register")) text.erase(0, 8);
      members += text + "; ";
      values += (values.empty() ? "" : ", ") + one.name;
      arguments += "maslin_values->" + one.name;
    }
  }
  const bool has_values = !values.empty();
  std::string made;
  if (has_values) made += fmt::format("struct maslin_css_values_{} {{ {}}};\n", f.name, members);
  made += fmt::format(
      "static int maslin_css_body_{}(void *maslin_own, const struct maslin_css_view *maslin_views)\n{{ ", f.name);
  if (has_values)
    made += fmt::format("struct maslin_css_values_{0} *maslin_values = (struct maslin_css_values_{0} *)maslin_own; ",
                        f.name);
  made += fmt::format(
      "int maslin_before = maslin_css_inside(1); (void)maslin_own; (void)maslin_views; {}({}); "
      "maslin_css_inside(maslin_before); return 0; }}\n",
      f.name, arguments);
  made += head_of_creator(f) + "\n{ ";
  if (has_values) made += fmt::format("struct maslin_css_values_{} maslin_values = {{ {} }}; ", f.name, values);
  if (count) made += fmt::format("struct maslin_css_access maslin_accesses[] = {{ {} }}; ", accesses);
  made += fmt::format("maslin_css_task(maslin_file, maslin_line, {}, maslin_css_body_{}, {}, {}, {}, {}); }}\n",
                      quoted(f.name), f.name, has_values ? "&maslin_values" : "0",
                      has_values ? "sizeof maslin_values" : "0",
                      count ? fmt::format("maslin_accesses, {}", count) : "0, 0", t.says.is_urgent ? 1 : 0);
  return made;
}

/// A size that a task names.
struct named_extent {
  const task* of;
  std::string name, extent;
};

/// Gives a function in which each extent that the task names stands on a line of its own. The line's number counts from
/// 1; `numbered` has what stands there.
std::string extents_alone(const task& t, std::vector<named_extent>& numbered) {
  std::string made = fmt::format("static void maslin_css_extents_{}({})\n{{ int maslin_any[1];\n", numbered.size(),
                                 t.is->parameters.empty() ? "void" : t.is->parameters);
  for (const pragma::parameter& one : t.says.parameters)
    for (const std::string& extent : one.extents) {
      numbered.push_back({&t, one.name, extent});
      made += fmt::format("# {} \"{}\"\n(void)maslin_any[{}];\n", numbered.size(), extents_file, extent);
    }
  return made + "}\n";
}

class translation {
 public:
  translation(const source& from, const std::string& standard)
      : from_(from), standard_(standard), program_(parse(from.text, standard)) {}

  std::string run() {
    for (const pragma_line& line : from_.pragmas) take(line);
    for (auto& [name, its] : tasks_) expect_sense(its);
    check_extents();
    if (!from_.pragmas.empty()) insert_before_all();
    for (const auto& [name, its] : tasks_) insert_creator(its);
    for (const call& one : program_.calls) replace(one);
    return applied(insertions_);
  }

 private:
  [[noreturn]] static void wrong(const pragma_line& line, const std::string& what, const std::string& word = "css") {
    throw mistake(line.where, what, word);
  }

  /// Gives what a byte of the text stands in; null where it stands outside of all.
  const extent* around_of(std::size_t offset) const {
    for (const extent& one : program_.outermost)
      if (one.begin <= offset && offset < one.end) return &one;
    return nullptr;
  }

  void take(const pragma_line& line) {
    pragma says = parse(line);
    const extent* const around = around_of(line.offset);
    const extent* next = nullptr;
    for (const extent& one : program_.outermost)
      if (one.begin > line.offset && (!next || one.begin < next->begin)) next = &one;
    if (says.is == pragma::kind::task) {
      if (around) wrong(line, "a task is declared outside of functions, in front of its own", "task");
      if (!next || next->function < 0) wrong(line, "expected a function behind this line", "task");
      const function& its = program_.functions[static_cast<std::size_t>(next->function)];
      const auto [known, is_new] = tasks_.try_emplace(its.name, task{&line, says, &its});
      if (!is_new && !is_same(known->second.says, says))
        wrong(line,
              fmt::format("'{}' is declared otherwise at {}:{}", its.name, known->second.line->where.file,
                          known->second.line->where.line),
              "task");
      return;
    }
    if (!around || around->function < 0) wrong(line, "expected a function around this line");
    insert(line.offset, statement(line, says));
  }

  static bool is_same(const pragma& a, const pragma& b) {
    return a.is_urgent == b.is_urgent &&
           std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(), b.parameters.end(),
                      [](const pragma::parameter& x, const pragma::parameter& y) {
                        return x.goes == y.goes && x.name == y.name && x.extents == y.extents;
                      });
  }

  static std::string statement(const pragma_line& line, const pragma& says) {
    const std::string here = fmt::format("{}, {}", quoted(line.where.file), line.where.line);
    using enum pragma::kind;
    if (says.is == barrier) return fmt::format("maslin_css_barrier({});", here);
    if (says.is == start) return fmt::format("maslin_css_start({});", here);
    if (says.is == finish) return fmt::format("maslin_css_finish({});", here);
    std::string made;
    for (const std::string& one : says.expressions)  // an array is waited for whole, a pointer's data for one element
      made += fmt::format(
          "maslin_css_wait_on({0}, (const void *)({1}), __builtin_types_compatible_p(__typeof__({1}), "
          "__typeof__(&({1})[0])) ? sizeof(*({1})) : sizeof({1})); ",
          here, one);
    return made;
  }

  /// Are the extents expressions that can count?
  void check_extents() {
    std::vector<insertion> probes;
    std::vector<named_extent> numbered;
    for (const auto& [name, its] : tasks_) {
      const std::size_t before = numbered.size(), end = end_of(*its.is);
      const std::string alone = extents_alone(its, numbered);
      if (numbered.size() > before) probes.push_back({end, fmt::format("\n{}{}", alone, from_.marker(end))});
    }
    if (probes.empty()) return;
    for (const complaint& one : parse(applied(probes), standard_).errors) {
      if (one.file != extents_file || one.line < 1 || one.line > static_cast<int>(numbered.size())) continue;
      const named_extent& its = numbered[static_cast<std::size_t>(one.line - 1)];
      wrong(*its.of->line, fmt::format("the size '{}' of '{}' counts nothing: {}", its.extent, its.name, one.what),
            its.name);
    }
  }

  /// Gives where the text behind a function goes on.
  std::size_t end_of(const function& f) const {
    if (f.is_definition) return f.end;
    const std::size_t semicolon = from_.text.find(';', f.end);
    return semicolon == std::string::npos ? from_.text.size() : semicolon + 1;
  }

  void insert(std::size_t at, std::string text) { insertions_.push_back({at, std::move(text)}); }
  /// Inserts lines of ours, of which nothing is warned.
  void insert_lines(std::size_t at, const std::string& lines) {
    insert(at, fmt::format("\n{}{}{}", from_.marker(at, true), lines, from_.marker(at)));
  }

  void insert_before_all() {
    // In front of what the first pragma stands in, or in front of.
    std::size_t first = from_.pragmas.front().offset;
    if (const extent* const around = around_of(first)) first = around->begin;
    for (const auto& [name, its] : tasks_) first = std::min(first, first_declaration(its).begin);
    first = from_.text.rfind('\n', first) + 1;
    insert(first, from_.marker(first, true) + declarations + from_.marker(first));
  }

  const function& first_declaration(const task& t) const { return *find(program_.functions, t.is->name); }

  void insert_creator(const task& t) {
    // Calls may stand between the first declaration and the one with the pragma.
    const function& first = first_declaration(t);
    if (&first != t.is) insert_lines(end_of(first), head_of_creator(first) + ";\n");
    insert_lines(end_of(*t.is), creator(t));
  }

  void replace(const call& one) {
    const auto its = tasks_.find(one.name);
    if (its == tasks_.end()) return;
    const std::string& text = from_.text;
    const auto in = one.inside < 0 ? nullptr : &program_.functions[static_cast<std::size_t>(one.inside)];
    if (in && tasks_.count(in->name)) {
      // Tasks do not nest: within a task, this is a plain call.
      if (in->name == one.name)
        throw mistake(
            from_.where(one.at),
            fmt::format("the task '{}' calls itself; tasks create no tasks, so it would run alone: make a task of "
                        "what it does at the end of the recursion",
                        one.name),
            one.name);
      return;
    }
    std::size_t open = one.at + one.name.size();
    const bool is_by_name = text.compare(one.at, one.name.size(), one.name) == 0;
    if (is_by_name) open = text.find_first_not_of(" \t\n", open);
    if (!is_by_name || open == std::string::npos || text[open] != '(')
      throw mistake(from_.where(one.at),
                    fmt::format("the task '{0}' is called in another way than as {0}(...)", one.name), one.name);
    insert(one.at, "maslin_css_create_");
    const place where = from_.where(one.at);
    insert(open + 1, fmt::format("{}, {}{}", quoted(where.file), where.line, one.arguments ? ", " : ""));
  }

  /// Gives the text with all that is inserted.
  std::string applied(std::vector<insertion> all) const {
    std::stable_sort(all.begin(), all.end(), [](const insertion& a, const insertion& b) { return a.at < b.at; });
    std::string made;
    std::size_t done = 0;
    for (const insertion& one : all) {
      made.append(from_.text, done, one.at - done);
      made += one.text;
      done = one.at;
    }
    return made.append(from_.text, done, std::string::npos);
  }

  const source& from_;
  const std::string standard_;
  const program program_;
  std::map<std::string, task> tasks_;
  std::vector<insertion> insertions_;
};

}  // namespace

std::string translate(const source& from, const std::string& standard) { return translation(from, standard).run(); }

}  // namespace compiler
