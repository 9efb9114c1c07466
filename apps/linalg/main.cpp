// maslin-linalg: the six programs of the CellSs paper. Their answers are checked.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "cli/shared/numbers.hpp"
#include "cli/shared/run.hpp"
#include "linalg/measure.hpp"
#include "linalg/program.hpp"
#include "maslin/error.hpp"
#include "maslin/settings.hpp"

namespace {

constexpr int wrong_answer = 1;
constexpr int largest = 1 << 20;

/// Refuses a part that does not divide the whole, and names sizes beside it of which it is a divisor.
void expect_divisor(const char* part, int value, const char* whole, int n) {
  if (n % value == 0) return;
  const int below = n / value * value;
  throw maslin::error(fmt::format("{} {} does not divide {} {}; expected a divisor of it, or {} {}{}", part, value,
                                  whole, n, whole, below > 0 ? fmt::format("{} or ", below) : "", below + value));
}

/// A subcommand, and how its program is made. Sizes are what the command line says.
struct command_of_program {
  CLI::App* app;
  std::function<std::unique_ptr<linalg::program>()> make;
};

class command_line {
 public:
  explicit command_line(CLI::App& app) : app_(app) {}

  using make_matrix = std::unique_ptr<linalg::program> (*)(linalg::matrix_size);
  void add_matrix(const char* name, const char* what, linalg::matrix_size usual, make_matrix make) {
    auto size = std::make_shared<linalg::matrix_size>(usual);
    CLI::App* sub = add(name, what, fmt::format("--n {} --block {}", usual.n / 2, usual.block));
    number(sub, "--n", size->n, "Rows and columns of the matrix");
    number(sub, "--block", size->block, "Rows and columns of a block; divides --n");
    all_.push_back({sub, [size, make] {
                      expect_divisor("--block", size->block, "--n", size->n);
                      return make(*size);
                    }});
  }

  void add_reduct(linalg::array_size usual) {
    auto size = std::make_shared<linalg::array_size>(usual);
    CLI::App* sub = add("reduct", "The sum of an array of vectors, as a tree", "--vectors 1024 --length 4096");
    number(sub, "--vectors", size->vectors, "How many vectors");
    number(sub, "--length", size->length, "Elements of each");
    all_.push_back({sub, [size] { return linalg::make_reduct(*size); }});
  }

  void add_fft3d(linalg::cube_size usual) {
    auto size = std::make_shared<linalg::cube_size>(usual);
    CLI::App* sub = add("fft3d", "A 3-D FFT, by FFTs of rows and transpositions", "--n 128 --slice 16 --block 32");
    number(sub, "--n", size->n, "Edge of the cube");
    number(sub, "--slice", size->slice, "Rows that a task transforms; divides --n");
    number(sub, "--block", size->block, "Rows and columns of a block that is transposed; divides --n");
    all_.push_back({sub, [size] {
                      expect_divisor("--slice", size->slice, "--n", size->n);
                      expect_divisor("--block", size->block, "--n", size->n);
                      return linalg::make_fft3d(*size);
                    }});
  }

  /// Runs the program that was asked for. Leaves with status 1 if its answer is wrong.
  void run() const {
    for (const command_of_program& one : all_)
      if (*one.app) run(one);
  }

 private:
  CLI::App* add(const char* name, const char* what, const std::string& example) {
    CLI::App* sub = app_.add_subcommand(name, what);
    sub->add_option("--repeat", wish_.repeat, "Runs, each on a new input; the time is the median")
        ->transform(command::whole_number(1, 1000000))
        ->capture_default_str();
    sub->add_flag("--no-check", wish_.no_check, "Do not check the answer, which takes time and memory, too");
    sub->add_flag("--spoil", wish_.spoil, "Change an element of the answer, to see that the check finds it");
    sub->add_flag("--json", wish_.json, "Print the results as JSON");
    sub->footer(
        fmt::format("\nExample:\n  maslin-linalg {} {} --repeat 3 --json\n\n"
                    "The checksum is the same at any number of workers (MASLIN_WORKERS), serially\n"
                    "(MASLIN_SERIAL=1) and on a described machine (MASLIN_MACHINE).",
                    name, example));
    return sub;
  }

  static void number(CLI::App* sub, const char* name, int& to, const char* what) {
    sub->add_option(name, to, what)->transform(command::whole_number(1, largest))->capture_default_str();
  }

  void run(const command_of_program& chosen) const {
    const std::string name = chosen.app->get_name();
    const std::unique_ptr<linalg::program> program = chosen.make();
    linalg::expect_memory(*program, name, !wish_.no_check);
    const linalg::outcome found = linalg::measure(*program, name, wish_);
    fmt::print("{}", wish_.json ? to_json(found) : to_text(found));
    std::fflush(stdout);  // the answer comes before what is wrong with it
    for (const linalg::check& one : found.checks)
      if (!one.holds())
        fmt::print(stderr, "{}: {}: wrong: {}: {} (error {:.1e}, at most {:.1e} expected)\n", app_.get_name(), name,
                   one.what, one.worst, one.error, one.bound);
    if (!found.holds()) throw CLI::RuntimeError(wrong_answer);
  }

  CLI::App& app_;
  linalg::wish wish_;
  std::vector<command_of_program> all_;
};

}  // namespace

int main(int argc, char** argv) {
  // The tasks are the parallelism, and sums of a BLAS at another width would differ in their last bits.
  setenv("MASLIN_FOREIGN", "reproducible", 0);

  CLI::App app("The six programs of the CellSs paper as tasks, with checked answers", "maslin-linalg");
  command::manual_facts facts{MASLIN_VERSION, {}, {"maslin(1)"}, "an answer is wrong"};
  facts.environment.push_back({"MASLIN_...", "the settings of Maslin; `maslin settings` lists them"});
  command::add_habits(app, facts);
  command_line line(app);
  // The paper's sizes.
  line.add_matrix("matmul", "C = C + A B", {32 * 64, 64}, linalg::make_matmul);
  line.add_matrix("sparselu", "A = L U of a matrix that is sparse in blocks", {32 * 64, 64}, linalg::make_sparselu);
  line.add_matrix("cholesky-c", "A = L L^T, column after column", {48 * 64, 64}, linalg::make_cholesky_c);
  line.add_matrix("cholesky-r", "A = L L^T, row after row", {48 * 64, 64}, linalg::make_cholesky_r);
  line.add_reduct({16384, 4096});
  line.add_fft3d({256, 32, 64});
  return command::run(app, argc, argv, [&] { line.run(); });
}
