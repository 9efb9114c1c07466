// matmul, sparselu and both Cholesky factorizations: matrices in blocks that lie each in one piece, as in the programs
// that came with CellSs.

#include <algorithm>
#include <optional>
#include <vector>

#include "application.hpp"

namespace cellss {

namespace {

using enum mode;

class matrix {
 public:
  matrix(application& a, int blocks, int block)
      : application_(&a), blocks_(blocks), bytes_(static_cast<std::uint32_t>(4 * block * block)) {
    places_.resize(static_cast<std::size_t>(blocks) * static_cast<std::size_t>(blocks));
  }
  bool has(int i, int j) const { return place(i, j).has_value(); }
  /// Gives the block's region; makes it at its first use.
  std::uint32_t at(int i, int j) {
    auto& p = const_cast<std::optional<std::uint32_t>&>(place(i, j));
    if (!p) p = application_->add_region(bytes_);
    return *p;
  }
  void fill() {
    for (int i = 0; i < blocks_; ++i)
      for (int j = 0; j < blocks_; ++j) at(i, j);
  }

 private:
  const std::optional<std::uint32_t>& place(int i, int j) const {
    return places_[static_cast<std::size_t>(i) * static_cast<std::size_t>(blocks_) + static_cast<std::size_t>(j)];
  }

  application* application_;
  int blocks_;
  std::uint32_t bytes_;
  std::vector<std::optional<std::uint32_t>> places_;
};

/// Which blocks of the sparse matrix are not empty at first: genmat of the program.
bool is_there(int i, int j) {
  if (i == j || i == j - 1 || i - 1 == j) return true;
  if (i < j && i % 3 != 0) return false;
  if (i > j && j % 3 != 0) return false;
  return i % 2 == 0 && j % 2 == 0;
}

}  // namespace

application matmul(size s) {
  application app("matmul");
  const auto gemm = app.add_kernel("gemm");
  matrix a(app, s.blocks, s.block), b(app, s.blocks, s.block), c(app, s.blocks, s.block);
  for (matrix* m : {&a, &b, &c}) m->fill();
  for (int i = 0; i < s.blocks; ++i)
    for (int j = 0; j < s.blocks; ++j)
      for (int k = 0; k < s.blocks; ++k) app.add_task(gemm, {{a.at(i, k), in}, {b.at(k, j), in}, {c.at(i, j), inout}});
  return app;
}

application sparselu(size s) {
  application app("sparselu");
  const auto copy = app.add_kernel("copy_block"), lu0 = app.add_kernel("lu0"), fwd = app.add_kernel("fwd"),
             bdiv = app.add_kernel("bdiv"), bmod = app.add_kernel("bmod"), split = app.add_kernel("split_block"),
             multiply = app.add_kernel("block_mpy_add"), clear = app.add_kernel("clean_block"),
             compare = app.add_kernel("are_blocks_equal");
  const int n = s.blocks;
  matrix a(app, n, s.block), original(app, n, s.block), lower(app, n, s.block), upper(app, n, s.block),
      product(app, n, s.block);
  const auto each = [n](auto body) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) body(i, j);
  };
  each([&](int i, int j) {
    if (is_there(i, j)) a.at(i, j);
  });
  each([&](int i, int j) {
    if (a.has(i, j)) app.add_task(copy, {{a.at(i, j), in}, {original.at(i, j), out}});
  });
  for (int k = 0; k < n; ++k) {
    app.add_task(lu0, {{a.at(k, k), inout}});
    for (int j = k + 1; j < n; ++j)
      if (a.has(k, j)) app.add_task(fwd, {{a.at(k, k), in}, {a.at(k, j), inout}});
    for (int i = k + 1; i < n; ++i)
      if (a.has(i, k)) app.add_task(bdiv, {{a.at(k, k), in}, {a.at(i, k), inout}});
    for (int i = k + 1; i < n; ++i)
      for (int j = k + 1; j < n; ++j) {
        if (!a.has(i, k) || !a.has(k, j)) continue;
        if (!a.has(i, j)) app.add_task(clear, {{a.at(i, j), out}});
        app.add_task(bmod, {{a.at(i, k), in}, {a.at(k, j), in}, {a.at(i, j), inout}});
      }
  }
  // L and U share the blocks of A, but for the diagonal.
  const auto l = [&](int i, int j) { return i == j ? lower.at(i, i) : a.at(i, j); };
  const auto u = [&](int i, int j) { return i == j ? upper.at(i, i) : a.at(i, j); };
  for (int k = 0; k < n; ++k) app.add_task(split, {{a.at(k, k), in}, {lower.at(k, k), out}, {upper.at(k, k), out}});
  each([&](int i, int j) {
    for (int k = 0; k <= std::min(i, j); ++k) {
      if (!a.has(i, k) || !a.has(k, j)) continue;
      if (!product.has(i, j)) app.add_task(clear, {{product.at(i, j), out}});
      app.add_task(multiply, {{l(i, k), in}, {u(k, j), in}, {product.at(i, j), inout}});
    }
  });
  each([&](int i, int j) {
    if (original.has(i, j)) app.add_task(compare, {{original.at(i, j), in}, {product.at(i, j), in}});
  });
  return app;
}

application cholesky_c(size s) {
  application app("choleskyC");
  const auto gemm = app.add_kernel("sgemm"), syrk = app.add_kernel("ssyrk"), potrf = app.add_kernel("spotrf"),
             trsm = app.add_kernel("strsm");
  matrix a(app, s.blocks, s.block);
  a.fill();
  for (int j = 0; j < s.blocks; ++j) {
    for (int k = 0; k < j; ++k)
      for (int i = j + 1; i < s.blocks; ++i)
        app.add_task(gemm, {{a.at(i, k), in}, {a.at(j, k), in}, {a.at(i, j), inout}});
    for (int i = 0; i < j; ++i) app.add_task(syrk, {{a.at(j, i), in}, {a.at(j, j), inout}});
    app.add_task(potrf, {{a.at(j, j), inout}});
    for (int i = j + 1; i < s.blocks; ++i) app.add_task(trsm, {{a.at(j, j), in}, {a.at(i, j), inout}});
  }
  return app;
}

application cholesky_r(size s) {
  application app("choleskyR");
  const auto gemm = app.add_kernel("sgemm"), syrk = app.add_kernel("ssyrk"), potrf = app.add_kernel("spotrf"),
             trsm = app.add_kernel("strsm");
  matrix a(app, s.blocks, s.block);
  a.fill();
  for (int i = 0; i < s.blocks; ++i) {
    for (int j = 0; j < i; ++j) {
      for (int k = 0; k < j; ++k) app.add_task(gemm, {{a.at(i, k), in}, {a.at(j, k), in}, {a.at(i, j), inout}});
      app.add_task(trsm, {{a.at(j, j), in}, {a.at(i, j), inout}});
    }
    for (int j = 0; j < i; ++j) app.add_task(syrk, {{a.at(i, j), in}, {a.at(i, i), inout}});
    app.add_task(potrf, {{a.at(i, i), inout}});
  }
  return app;
}

}  // namespace cellss
