// Each rank's getopt reads words as the C library's does: random words, short and long options, in all orders.

#include <getopt.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <list>
#include <random>
#include <string>
#include <vector>

// mpi/ranks/library/getopt.c, by other names.
extern "C" {
extern char* ours_optarg;
extern int ours_optind, ours_opterr, ours_optopt;
int ours_getopt(int, char* const*, const char*);
int ours_getopt_long(int, char* const*, const char*, const option*, int*);
int ours_getopt_long_only(int, char* const*, const char*, const option*, int*);
}

namespace {

struct reader {
  char*& argument;
  int& index;
  int& says;
  int& unknown;
  int (*plain)(int, char* const*, const char*);
  int (*with_long)(int, char* const*, const char*, const option*, int*);
  int (*only_long)(int, char* const*, const char*, const option*, int*);
};
const reader ours{ours_optarg, ours_optind,      ours_opterr,          ours_optopt,
                  ours_getopt, ours_getopt_long, ours_getopt_long_only};
const reader theirs{optarg, optind, opterr, optopt, getopt, getopt_long, getopt_long_only};

struct question {
  std::vector<std::string> words;
  std::string short_options;
  std::vector<std::string> names;
  std::vector<option> long_options;
  int way;
  bool says;
  int begin;  ///< optind before the first call: 0 or 1
};

/// Gives all that can be seen of a reading: results, places, arguments, the order of the words afterwards, complaints.
std::string reading(const reader& r, question& q) {
  std::vector<char*> words;
  for (std::string& word : q.words) words.push_back(word.data());
  words.push_back(nullptr);
  const int count = static_cast<int>(q.words.size());
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const before = stderr;
  stderr = open_memstream(&text, &size);
  std::string seen;
  r.index = q.begin;
  r.says = q.says;
  int flag = -1;
  for (option& o : q.long_options)
    if (o.name && o.flag) o.flag = &flag;
  for (int turn = 0; turn < 100; ++turn) {
    int found = -1;
    r.unknown = 1234;
    const int result = q.way == 0 ? r.plain(count, words.data(), q.short_options.c_str())
                       : q.way == 1
                           ? r.with_long(count, words.data(), q.short_options.c_str(), q.long_options.data(), &found)
                           : r.only_long(count, words.data(), q.short_options.c_str(), q.long_options.data(), &found);
    seen += std::to_string(result) + " " + std::to_string(r.index) + " " + std::to_string(found) + " " +
            std::to_string(result == '?' || result == ':' ? r.unknown : 0) + " " + std::to_string(flag) + " " +
            (r.argument && result != -1 ? r.argument : "-") + "\n";
    if (result == -1) break;
  }
  std::fclose(stderr);
  stderr = before;
  for (char* word : words) seen += word ? std::string(word) + "|" : "";
  seen += text;
  std::free(text);
  return seen;
}

TEST(Getopt, ReadsWordsAsTheCLibraryDoes) {
  std::mt19937 random(1);
  const auto one_of = [&](const auto& all) { return all[random() % std::size(all)]; };
  static const std::string parts[]{"-",  "--",    "a",        "b",    "c", "d", "=", "x",
                                   "al", "alpha", "alphabet", "beta", "v", ":", "1"};
  static const std::string shorts[]{"abc",    "a:bc", "ab::c:", "+a:b", "-ab:", ":a:b",
                                    "-:ab::", "+:a",  "",       "xv:",  "alb:"};
  static const char* const names[]{"alpha", "alphabet", "beta", "a", "bet", "x", "verbose", "al"};
  std::string last_short_options;
  std::list<question> kept;  // the C library keeps a pointer into a word until it begins at 0
  for (int round = 0; round < 50000; ++round) {
    question q;
    q.words.emplace_back("program");
    for (unsigned n = random() % 6; n > 0; --n) {
      std::string word;
      if (random() % 3 != 0) word = random() % 2 ? "-" : "--";
      for (unsigned k = random() % 4; k > 0; --k) word += one_of(parts);
      q.words.push_back(word);
    }
    // The C library looks for '+' and '-' only where it begins at 0, so those that begin at 1 keep the options.
    q.begin = round == 0 ? 0 : static_cast<int>(random() % 2);
    q.short_options = q.begin == 0 ? one_of(shorts) : last_short_options;
    last_short_options = q.short_options;
    q.way = static_cast<int>(random() % 3);
    q.says = random() % 2;
    for (unsigned n = random() % 5; n > 0; --n)
      q.long_options.push_back({one_of(names), static_cast<int>(random() % 3), random() % 4 ? nullptr : &optind,
                                static_cast<int>(random() % 3) + 'p'});
    q.long_options.push_back({nullptr, 0, nullptr, 0});
    std::string asked =
        "'" + q.short_options + "' from " + std::to_string(q.begin) + " way " + std::to_string(q.way) + ":";
    for (const std::string& word : q.words) asked += " '" + word + "'";
    for (const option& o : q.long_options)
      if (o.name) asked += std::string(" ") + o.name + "/" + std::to_string(o.has_arg) + "/" + std::to_string(o.val);
    if (q.begin == 0) kept.clear();
    ASSERT_EQ(reading(ours, kept.emplace_back(q)), reading(theirs, kept.emplace_back(q))) << asked;
  }
}

}  // namespace
