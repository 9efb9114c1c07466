// compare PROGRAM FILE SIZES...: checks an answer that an annotated C program wrote with --output by BLAS, LAPACK or
// FFTW. Sizes are those of the C++ form (n and block; vectors and length; n, slice and block). Leaves with status 1 if
// the answer is wrong.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "linalg/program.hpp"

namespace {

std::vector<float> read(const char* name) {
  std::vector<float> values;
  if (std::FILE* const file = std::fopen(name, "rb")) {
    for (float value = 0; std::fread(&value, sizeof value, 1, file) == 1;) values.push_back(value);
    std::fclose(file);
  }
  return values;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> sizes;
  for (int i = 3; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  const auto program = argc > 3 ? linalg::make_program(argv[1], sizes) : nullptr;
  if (!program) return std::puts("compare PROGRAM FILE SIZES..."), 2;
  program->prepare();
  const std::vector<float> answer = read(argv[2]);
  if (answer.size() != program->answer().size())
    return std::printf("%s has %zu numbers; expected %zu\n", argv[2], answer.size(), program->answer().size()), 2;
  int status = 0;
  for (const linalg::check& one : program->verify(answer)) {
    std::printf("%s: error %.2e, bound %.2e; %s\n", one.what.c_str(), one.error, one.bound, one.worst.c_str());
    if (!one.holds()) status = 1;
  }
  return status;
}
