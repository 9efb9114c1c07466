// fft3d: 1-D FFTs over the rows of a cube of complex numbers, a transposition of each plane, FFTs, a transposition of
// each plane of the other direction, FFTs. FFTs are done on slices of an eighth of a plane's rows (256 × 32 elements in
// the paper), transpositions on blocks of a quarter of its edge (64 × 64), a block and its mirror image at once.
//
// Slices and blocks overlap, so the cube is kept as pieces of rows that each lies in one block.

#include <vector>

#include "application.hpp"

namespace cellss {

application fft3d(size s) {
  using enum mode;
  application app("fft3d");
  const auto fft = app.add_kernel("fft"), swap = app.add_kernel("transpose_swap"), turn = app.add_kernel("transpose");
  const int n = s.block;        // edge of the cube
  const int pieces = s.blocks;  // of a row
  const int edge = n / pieces;  // of a transposition's block
  const int rows = n / 8;       // of a slice
  const auto wide = [](int value) { return static_cast<std::size_t>(value); };
  std::vector<std::uint32_t> cube(wide(n) * wide(n) * wide(pieces));
  for (std::uint32_t& piece : cube) piece = app.add_region(static_cast<std::uint32_t>(8 * edge));
  const auto piece = [&](int z, int y, int p) {
    return access{cube[(wide(z) * wide(n) + wide(y)) * wide(pieces) + wide(p)], inout};
  };

  const auto transform = [&](int z, int first_y) {
    std::vector<access> slice;
    slice.reserve(wide(rows) * wide(pieces));
    for (int y = first_y; y < first_y + rows; ++y)
      for (int p = 0; p < pieces; ++p) slice.push_back(piece(z, y, p));
    app.add_task(fft, slice);
  };
  // `line(r, p)` is piece p of row r of the plane.
  const auto transpose = [&](auto line) {
    for (int i = 0; i < pieces; ++i)
      for (int j = i; j < pieces; ++j) {
        std::vector<access> both;
        both.reserve(2 * wide(edge));
        for (int r = 0; r < edge; ++r) both.push_back(line(i * edge + r, j));
        for (int r = 0; r < edge && j > i; ++r) both.push_back(line(j * edge + r, i));
        app.add_task(j > i ? swap : turn, both);
      }
  };

  const auto transform_all = [&] {
    for (int z = 0; z < n; ++z)
      for (int y = 0; y < n; y += rows) transform(z, y);
  };
  transform_all();
  for (int z = 0; z < n; ++z) transpose([&](int y, int p) { return piece(z, y, p); });
  transform_all();
  for (int y = 0; y < n; ++y) transpose([&](int z, int p) { return piece(z, y, p); });
  transform_all();
  return app;
}

}  // namespace cellss
