// The 3-D FFT of a cube of complex numbers: FFTs of all rows, a transposition of each plane, FFTs, a transposition of
// each plane of the other direction, FFTs; all in place. FFTW makes the FFTs of a slice of rows.

#include <fmt/format.h>

#include <complex>
#include <optional>

#include "linalg/c/input.h"
#include "linalg/checks.hpp"
#include "linalg/kernels.hpp"
#include "linalg/program.hpp"
#include "maslin/maslin.hpp"

namespace linalg {

namespace ms = maslin;

namespace {

/// FFTs of a slice, in place. It is FFTW_ESTIMATE's, because what FFTW measures would choose other additions from run
/// to run; and it does not ask for an alignment, because a task's data may lie elsewhere than the program's.
class slice_plan {
 public:
  slice_plan(int n, int rows) {
    std::vector<number> slice(static_cast<std::size_t>(n) * static_cast<std::size_t>(rows));
    auto* const data = reinterpret_cast<fftwf_complex*>(slice.data());
    plan_ = fftwf_plan_many_dft(1, &n, rows, data, nullptr, 1, n, data, nullptr, 1, n, FFTW_FORWARD,
                                FFTW_ESTIMATE | FFTW_UNALIGNED);
    if (!plan_) throw ms::error(fmt::format("FFTW has no plan for rows of {} numbers; expected another --n", n));
  }
  ~slice_plan() { fftwf_destroy_plan(plan_); }
  slice_plan(const slice_plan&) = delete;
  slice_plan& operator=(const slice_plan&) = delete;
  fftwf_plan get() const { return plan_; }

 private:
  fftwf_plan plan_ = nullptr;
};

class fft3d final : public program {
 public:
  explicit fft3d(cube_size size) : size_(size), n_(static_cast<std::size_t>(size.n)) {}

  void prepare() override {
    if (!plan_) plan_.emplace(size_.n, size_.slice);
    cube_.resize(n_ * n_ * n_);
    for (std::size_t i = 0; i < cube_.size(); ++i) cube_[i] = {input_element(0, 0, i), input_element(1, 0, i)};
  }

  std::size_t run() override {
    tasks_ = 0;
    transform_rows();  // [z][y][x]
    for (std::size_t z = 0; z < n_; ++z) transpose_plane(&cube_[z * n_ * n_], n_);
    transform_rows();  // [z][x][y]
    for (std::size_t x = 0; x < n_; ++x) transpose_plane(&cube_[x * n_], n_ * n_);
    transform_rows();  // [y][x][z]
    ms::wait();
    return tasks_;
  }

  /// [x][y][z], real and imaginary parts by turns.
  std::vector<float> answer() const override {
    std::vector<float> out;
    out.reserve(2 * cube_.size());
    for (std::size_t x = 0; x < n_; ++x)
      for (std::size_t y = 0; y < n_; ++y)
        for (std::size_t z = 0; z < n_; ++z) {
          const number one = cube_[(y * n_ + x) * n_ + z];
          out.push_back(one.real());
          out.push_back(one.imag());
        }
    return out;
  }

  std::vector<check> verify(std::span<const float> answer) const override {
    std::vector<std::complex<double>> exact(n_ * n_ * n_);
    for (std::size_t i = 0; i < exact.size(); ++i) exact[i] = {input_element(0, 0, i), input_element(1, 0, i)};
    auto* const data = reinterpret_cast<fftw_complex*>(exact.data());
    const fftw_plan plan = fftw_plan_dft_3d(size_.n, size_.n, size_.n, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    double squares = 0, off = 0;
    for (const auto& one : exact) squares += std::norm(one);
    comparison found;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const std::size_t x = i / (n_ * n_), y = i / n_ % n_, z = i % n_;
      const std::complex<double> expected = exact[(z * n_ + y) * n_ + x];
      off += std::norm(std::complex<double>(answer[2 * i], answer[2 * i + 1]) - expected);
      found.add(x * n_ + y, 2 * z, answer[2 * i], expected.real(), std::sqrt(squares));
      found.add(x * n_ + y, 2 * z + 1, answer[2 * i + 1], expected.imag(), std::sqrt(squares));
    }
    return {found.with_error("FFTW's 3-D transform in double precision", std::sqrt(off / squares),
                             fft_bound(static_cast<double>(exact.size())))};
  }

  std::string size() const override {
    return fmt::format("{0} x {0} x {0} complex numbers, slices of {1} rows, blocks of {2} x {2}", size_.n, size_.slice,
                       size_.block);
  }
  double work() const override { return 5 * power(size_.n, 3) * std::log2(power(size_.n, 3)); }
  double bytes() const override { return 2 * 8 * power(size_.n, 3); }
  double bytes_of_check() const override { return 16 * power(size_.n, 3); }

 private:
  void transform_rows() {
    const auto rows = static_cast<std::size_t>(size_.slice);
    for (std::size_t first = 0; first < n_ * n_; first += rows, ++tasks_)
      ms::task(kernels.fft_rows, plan_->get(), ms::inout(&cube_[first * n_], rows * n_));
  }

  /// Transposes a plane whose rows begin so many numbers apart.
  void transpose_plane(number* plane, std::size_t apart) {
    const auto block = static_cast<std::size_t>(size_.block);
    const auto at = [&](std::size_t row, std::size_t column) {
      return ms::tile<number>{plane + row * apart + column, block, block, apart};
    };
    for (std::size_t i = 0; i < n_; i += block) {
      ms::task(kernels.transpose, ms::inout(at(i, i)));
      for (std::size_t j = i + block; j < n_; j += block, ++tasks_)
        ms::task(kernels.transpose_swap, ms::inout(at(i, j)), ms::inout(at(j, i)));
      ++tasks_;
    }
  }

  cube_size size_;
  std::size_t n_;
  std::optional<slice_plan> plan_;
  std::vector<number> cube_;
  std::size_t tasks_ = 0;
};

}  // namespace

std::unique_ptr<program> make_fft3d(cube_size size) { return std::make_unique<fft3d>(size); }

}  // namespace linalg
