#include "linalg/program.hpp"

namespace linalg {

std::unique_ptr<program> make_program(std::string_view name, std::span<const int> sizes) {
  if (sizes.size() == 3 && name == "fft3d") return make_fft3d({sizes[0], sizes[1], sizes[2]});
  if (sizes.size() != 2) return nullptr;
  if (name == "matmul") return make_matmul({sizes[0], sizes[1]});
  if (name == "sparselu") return make_sparselu({sizes[0], sizes[1]});
  if (name == "choleskyC") return make_cholesky_c({sizes[0], sizes[1]});
  if (name == "choleskyR") return make_cholesky_r({sizes[0], sizes[1]});
  if (name == "reduct") return make_reduct({sizes[0], sizes[1]});
  return nullptr;
}

}  // namespace linalg
