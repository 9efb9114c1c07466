// random_programs [FIRST [COUNT [STATEMENTS]]]: runs the programs of these seeds in the serial elision and on 1, 2, 3
// and 8 workers (of the machine that MASLIN_MACHINE describes, if set), or on those that MASLIN_TEST_WORKERS lists.
// Compares every byte that they leave and everything that their waits threw. Status 1 when any differ; their seeds are
// printed, and `random_programs SEED 1` runs one again.

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "maslin/maslin.hpp"
#include "program.hpp"

namespace {

constexpr std::uint64_t batch = 1000;
constexpr std::uint64_t most_workers = 1024;

bool number(const char* text, std::uint64_t& into) {
  const char* end = text + std::strlen(text);
  const auto [stopped, failed] = std::from_chars(text, end, into);
  return failed == std::errc() && stopped == end;
}

/// Gives the numbers of workers; none where MASLIN_TEST_WORKERS has none. The conformance suite finds other words
/// there, too: the serial elision (0) runs anyway, and MASLIN_MACHINE says which machine is described.
std::vector<int> workers_to_try() {
  const char* const some = std::getenv("MASLIN_TEST_WORKERS");
  std::istringstream words(some ? some : "1,2,3,8");
  std::vector<int> all;
  for (std::string word; std::getline(words, word, ',');) {
    std::uint64_t workers = 0;
    if (word == "0" || word == "described") continue;
    if (!number(word.c_str(), workers) || workers > most_workers) return {};
    all.push_back(static_cast<int>(workers));
  }
  return all;
}

void describe(std::uint64_t seed, int workers, const outcome& expected, const outcome& found) {
  std::printf("seed %llu, %d workers: differs from the serial elision\n", static_cast<unsigned long long>(seed),
              workers);
  for (std::size_t i = 0; i < std::min(expected.memory.size(), found.memory.size()); ++i)
    if (expected.memory[i] != found.memory[i])
      std::printf("  word %zu of %zu: %08x, serial %08x\n", i, expected.memory.size(), found.memory[i],
                  expected.memory[i]);
  if (expected.log != found.log)
    std::printf("--- serial\n%s--- %d workers\n%s---\n", expected.log.c_str(), workers, found.log.c_str());
}

/// The serial elision refuses MASLIN_CHECK=pages.
class unchecked_for_now {
 public:
  unchecked_for_now() {
    if (const char* const set = std::getenv("MASLIN_CHECK")) check_ = set;
    unsetenv("MASLIN_CHECK");
  }
  ~unchecked_for_now() {
    if (!check_.empty()) setenv("MASLIN_CHECK", check_.c_str(), 1);
  }
  unchecked_for_now(const unchecked_for_now&) = delete;
  unchecked_for_now& operator=(const unchecked_for_now&) = delete;

 private:
  std::string check_;
};

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t first = 1;
  std::uint64_t count = 10000;
  program_options options;
  if (argc > 4 || (argc > 1 && !number(argv[1], first)) || (argc > 2 && !number(argv[2], count)) ||
      (argc > 3 && !number(argv[3], options.statements))) {
    std::fputs("usage: random_programs [FIRST SEED [COUNT [STATEMENTS]]], numbers; by default 1 10000\n", stderr);
    return 2;
  }
  const std::vector<int> numbers_of_workers = workers_to_try();
  if (numbers_of_workers.empty()) {
    std::fputs("random_programs: MASLIN_TEST_WORKERS has no numbers of workers, as 2,8\n", stderr);
    return 2;
  }
  std::uint64_t wrong = 0;
  for (std::uint64_t done = 0; done < count; done += batch) {
    const std::uint64_t here = std::min(batch, count - done);
    std::vector<outcome> expected;
    {
      const unchecked_for_now during;
      maslin::Runtime serial({.workers = 0, .serial = true});
      for (std::uint64_t i = 0; i < here; ++i) expected.push_back(run_program(first + done + i, options));
    }
    for (const int workers : numbers_of_workers) {
      maslin::Runtime runtime({.workers = workers, .serial = false});
      for (std::uint64_t i = 0; i < here; ++i) {
        const outcome found = run_program(first + done + i, options);
        if (found == expected[i]) continue;
        ++wrong;
        describe(first + done + i, workers, expected[i], found);
      }
    }
    std::fprintf(stderr, "\r%llu of %llu programs", static_cast<unsigned long long>(done + here),
                 static_cast<unsigned long long>(count));
  }
  std::fputc('\n', stderr);
  if (wrong > 0) std::printf("%llu runs differ\n", static_cast<unsigned long long>(wrong));
  if (count == 1 && wrong > 0) {
    const unchecked_for_now during;
    maslin::Runtime serial({.workers = 0, .serial = true});
    options.show = true;
    run_program(first, options);
  }
  return wrong > 0 ? 1 : 0;
}
