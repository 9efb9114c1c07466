// C++ in ranks: objects that live as long as the program, exceptions that are under way while other ranks run, types
// and streams. Each rank has all of them for itself.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

namespace {

int me = 0, ranks = 0;

void expect(bool holds, const char* what, int line) {
  if (holds) return;
  std::cerr << "objects.cpp:" << line << ": rank " << me << ": " << what << " does not hold; expected that it does\n";
  MPI_Abort(MPI_COMM_WORLD, 70);
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

/// What has been constructed and not destroyed, in this order.
std::vector<std::string>& alive() {
  static std::vector<std::string> all;
  return all;
}

struct named {
  std::string name;
  explicit named(std::string its) : name(std::move(its)) { alive().push_back(name); }
  ~named() {
    // The latest goes first. It is too late for MPI, but not to end with another status.
    if (alive().empty() || alive().back() != name) std::_Exit(71);
    alive().pop_back();
  }
  named(const named&) = delete;
  named& operator=(const named&) = delete;
};

named first("first"), second("second");

template <int number>
struct of_a_template {
  static inline named one{"template " + std::to_string(number)};
  static inline int calls = 0;
  static int call() { return ++calls * number; }
};

named& in_a_function(int rank) {
  static named kept("made by rank " + std::to_string(rank));
  return kept;
}

thread_local int of_the_thread = 50;

struct shape {
  virtual ~shape() = default;
  virtual int sides() const = 0;
};
struct square final : shape {
  int sides() const override { return 4; }
};

void meet() { MPI_Barrier(MPI_COMM_WORLD); }

/// Counts how often it is destroyed while an exception goes through.
struct counted {
  int& destroyed;
  ~counted() {
    meet();  // other ranks throw and catch meanwhile
    ++destroyed;
  }
};

int thrown_through(int depth, int& destroyed) {
  const counted here{destroyed};
  if (depth == 0) throw std::out_of_range(std::to_string(me));
  return thrown_through(depth - 1, destroyed) + 1;
}

void exceptions() {
  int destroyed = 0;
  std::string caught;
  try {
    thrown_through(5, destroyed);
  } catch (const std::out_of_range& e) {
    meet();
    try {
      throw std::runtime_error(std::string("again ") + e.what());  // while the other one is being handled
    } catch (const std::runtime_error& inner) {
      meet();
      caught = std::string(inner.what()) + " after " + e.what();
    }
    meet();
    EXPECT(std::current_exception() != nullptr);
  }
  EXPECT(destroyed == 6);
  EXPECT(caught == "again " + std::to_string(me) + " after " + std::to_string(me));
  EXPECT(std::uncaught_exceptions() == 0);
  // Rethrown later, from another place.
  std::exception_ptr kept;
  try {
    throw std::vector<int>{me, me + 1};
  } catch (...) {
    kept = std::current_exception();
  }
  meet();
  int second_value = -1;
  try {
    std::rethrow_exception(kept);
  } catch (const std::vector<int>& values) {
    meet();
    second_value = values.at(1);
  }
  EXPECT(second_value == me + 1);
}

void types() {
  const std::unique_ptr<shape> one = std::make_unique<square>();
  EXPECT(dynamic_cast<const square*>(one.get()) != nullptr);
  EXPECT(typeid(*one) == typeid(square));
  EXPECT(one->sides() == 4);
  const std::function<int(int)> add = [](int more) { return me + more; };
  meet();
  EXPECT(add(3) == me + 3);
}

void streams() {
  std::ostringstream out;
  if (me % 2) out << std::hex;
  meet();
  out << std::setw(6) << std::setfill('.') << 255;
  EXPECT(out.str() == (me % 2 ? "....ff" : "...255"));
  std::istringstream in("12 words 3.5");
  int number = 0;
  double real = 0;
  std::string word;
  in >> number >> word;
  meet();
  in >> real;
  EXPECT(number == 12 && word == "words" && real == 3.5);
  std::map<std::string, int> counts;
  for (int i = 0; i < 1000; ++i) ++counts[std::to_string(i % (me + 2))];
  EXPECT(counts.size() == static_cast<std::size_t>(me + 2));
}

}  // namespace

int main(int argc, char** argv) {
  const bool was_made = alive().size() >= 4 && alive()[0] == "first" && alive()[1] == "second";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  EXPECT(was_made);
  EXPECT(of_a_template<1>::one.name == "template 1" && of_a_template<2>::one.name == "template 2");
  for (int i = 0; i <= me; ++i) of_a_template<2>::call();
  meet();
  EXPECT(of_a_template<2>::calls == me + 1 && of_a_template<1>::calls == 0);
  EXPECT(in_a_function(me).name == "made by rank " + std::to_string(me));
  meet();
  EXPECT(in_a_function(-1).name == "made by rank " + std::to_string(me));
  of_the_thread += me;
  meet();
  EXPECT(of_the_thread == 50 + me);
  exceptions();
  types();
  streams();
  // A thread of the rank's own, which does not call MPI.
  int sum = 0;
  std::thread([&] {
    for (int i = 1; i <= 100; ++i) sum += i;
  }).join();
  EXPECT(sum == 5050);
  meet();
  if (me == 0) std::cout << "all is " << std::string("right") << '\n';
  MPI_Finalize();
  if (argc > 1) std::exit(0);  // objects are destroyed as well
}
