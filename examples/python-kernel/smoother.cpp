// A Python module: sweeps of Gauss and Seidel over a numpy array. Each point becomes the mean of its four neighbours,
// in the order of rows and columns, so it needs the new values above and on its left. A sweep is one task for each
// block. Tasks name the blocks and edges that they need, so the next sweep begins where the last one has been.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <maslin/maslin.hpp>

#include <algorithm>

namespace ms = maslin;
namespace nb = nanobind;

using grid = ms::ndarray<double, 2>;
using edge = ms::ndarray<const double, 2>;
using array = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

void smooth_block(grid own, edge above, edge below, edge left, edge right) {
  const std::size_t rows = own.shape(0), columns = own.shape(1);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      own(i, j) = 0.25 * ((i > 0 ? own(i - 1, j) : above(0, j)) + (i + 1 < rows ? own(i + 1, j) : below(0, j)) +
                          (j > 0 ? own(i, j - 1) : left(i, 0)) + (j + 1 < columns ? own(i, j + 1) : right(i, 0)));
}

void smooth(const array& numbers, int sweeps, std::size_t block) {
  const grid all(numbers);
  if (all.shape(0) < 3 || all.shape(1) < 3 || block == 0) throw nb::value_error("expected 3 x 3 points, and a block");
  const nb::gil_scoped_release others_run;  // tasks need no Python
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t top = 1; top + 1 < all.shape(0); top += block)
      for (std::size_t left = 1; left + 1 < all.shape(1); left += block) {
        const std::size_t bottom = std::min(top + block, all.shape(0) - 1);
        const std::size_t right = std::min(left + block, all.shape(1) - 1);
        const grid rows = all.part(0, top, bottom), columns = all.part(1, left, right);
        ms::task(smooth_block, ms::inout(rows.part(1, left, right)),                                  //
                 ms::in(columns.part(0, top - 1, top)), ms::in(columns.part(0, bottom, bottom + 1)),  //
                 ms::in(rows.part(1, left - 1, left)), ms::in(rows.part(1, right, right + 1)));
      }
  ms::wait();
}

void smooth_alone(const array& numbers, int sweeps) {
  const grid all(numbers);
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t i = 1; i + 1 < all.shape(0); ++i)
      for (std::size_t j = 1; j + 1 < all.shape(1); ++j)
        all(i, j) = 0.25 * (all(i - 1, j) + all(i + 1, j) + all(i, j - 1) + all(i, j + 1));
}

NB_MODULE(smoother, module) {
  module.doc() = "Sweeps of Gauss and Seidel over the inner points of an array of doubles, which is changed.";
  module.def("smooth", smooth, nb::arg("numbers").noconvert(), nb::arg("sweeps"), nb::arg("block") = 128,
             "Block by block, on all workers.");
  module.def("smooth_alone", smooth_alone, nb::arg("numbers").noconvert(), nb::arg("sweeps"), "In one plain loop.");
}
