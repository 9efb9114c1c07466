// CFD: a cavity with a moving lid and a heated floor; the explicit Navier-Stokes and energy equations in two dimensions
// on a staggered grid, with a pressure projection (Chorin). Each step is a small task graph, and each of its tasks is a
// loop over rows:
//
//     energy ───────────────────────────────┐
//     x-momentum ─┐                         ├─▶ correct u
//     y-momentum ─┴─▶ pressure (Jacobi) ────┴─▶ correct v

#include <cmath>

#include "program.hpp"

namespace figures {

namespace {

constexpr double reynolds = 100;
constexpr double prandtl = 0.71;
constexpr double buoyancy = 1;  // of a unit of temperature
constexpr double lid_speed = 1;
constexpr int pressure_sweeps = 30;

class cavity final : public problem {
 public:
  cavity(int cells, int steps) : n_(cells), steps_(steps), h_(1.0 / cells) {
    // Half of what diffusion and the lid's speed allow.
    dt_ = 0.5 * std::min(0.25 * reynolds * prandtl * h_ * h_, h_ / lid_speed);
  }

  void reset() override {
    for (auto* f : {&u_, &v_, &u_next_, &v_next_, &p_, &p_next_, &t_, &t_next_, &source_})
      f->assign(static_cast<std::size_t>((n_ + 2) * (n_ + 2)), 0.0);
    set_boundaries();
  }

  void run(const execution& how) override {
    for (int step = 0; step < steps_; ++step) {
      how.together([&] { energy(how); },
                   [&] {
                     how.together([&] { momentum_x(how); }, [&] { momentum_y(how); });
                     pressure(how);
                   });
      how.together([&] { correct_u(how); }, [&] { correct_v(how); });
      t_.swap(t_next_);
      set_boundaries();
      uses_boundaries(how);
      how.did(6 * n_);
    }
    kinetic_ = how.reduce(n_, 8, 0.0, std::plus{}, [&](ms::range rows) {
      double sum = 0;
      for (const std::int64_t row : rows) {
        reads(how, u_, row + 1);
        reads(how, v_, row + 1);
      }
      for_cells(rows, [&](std::size_t c) { sum += u_[c] * u_[c] + v_[c] * v_[c]; });
      how.did(4 * n_ * rows.size());
      return 0.5 * h_ * h_ * sum;
    });
  }

  std::vector<double> answer() const override {
    std::vector<double> all{kinetic_};
    for (const auto* f : {&u_, &v_, &p_, &t_}) all.insert(all.end(), f->begin(), f->end());
    return all;
  }

  /// What the projection left of the divergence that it had to remove in the last step; everything is wrong where the
  /// maximum principle for the temperature does not hold or no energy came from the lid.
  double defect() const override {
    double before = 0;
    double after = 0;
    double coldest = 0;
    double hottest = 0;
    for_cells({0, n_}, [&](std::size_t c) {
      before = std::max(before, std::abs(dt_ * source_[c]));
      after = std::max(after, std::abs(divergence(u_, v_, c)));
      coldest = std::min(coldest, t_[c]);
      hottest = std::max(hottest, t_[c]);
    });
    const bool possible = coldest > -1e-3 && hottest < 1 + 1e-3 && kinetic_ > 0 && kinetic_ < 0.5;
    return possible ? after / before : 1;
  }

 private:
  using field = array_of<double>;  // row-major, with a rim: cell (row, column) is at row × width + column, from 1

  std::size_t width() const { return static_cast<std::size_t>(n_ + 2); }

  template <class Body>
  void for_cells(ms::range rows, Body&& body) const {
    const auto n = static_cast<std::size_t>(n_);
    for (const std::int64_t row : rows) {
      const std::size_t first = static_cast<std::size_t>(row + 1) * width() + 1;
      for (std::size_t c = first; c < first + n; ++c) body(c);
    }
  }

  /// Some rows of a field, counted with the rim, are read, or one is written.
  void reads(const execution& how, const field& a, std::int64_t row, std::int64_t rows = 1) const {
    how.reads(&a[static_cast<std::size_t>(row) * width()], rows * (n_ + 2));
  }
  void writes(const execution& how, const field& a, std::int64_t row) const {
    how.writes(&a[static_cast<std::size_t>(row) * width()], n_ + 2);
  }
  /// What is written of a row whose last value stands on a wall.
  void writes_to_wall(const execution& how, const field& a, std::int64_t row) const {
    how.writes(&a[static_cast<std::size_t>(row) * width() + 1], n_ - 1);
  }

  /// Of `a`, whose values stand on the right (for u) or upper (for v) edges of their cells, or in the middle.
  double laplacian(const field& a, std::size_t c) const {
    return (a[c - 1] + a[c + 1] + a[c - width()] + a[c + width()] - 4 * a[c]) / (h_ * h_);
  }
  double divergence(const field& u, const field& v, std::size_t c) const {
    return (u[c] - u[c - 1] + v[c] - v[c - width()]) / h_;
  }

  void momentum_x(const execution& how) {
    const std::size_t w = width();
    how.loop(n_, [&, w](ms::range rows) {
      for (const std::int64_t row : rows) {
        const std::size_t first = static_cast<std::size_t>(row + 1) * w + 1;
        const std::size_t wall = first + static_cast<std::size_t>(n_) - 1;
        reads(how, u_, row, 3);
        reads(how, v_, row, 2);
        writes_to_wall(how, u_next_, row + 1);
        for (std::size_t c = first; c < wall; ++c) {
          const double east = 0.5 * (u_[c] + u_[c + 1]);
          const double west = 0.5 * (u_[c - 1] + u_[c]);
          const double north = 0.25 * (v_[c] + v_[c + 1]) * (u_[c] + u_[c + w]);
          const double south = 0.25 * (v_[c - w] + v_[c - w + 1]) * (u_[c - w] + u_[c]);
          const double advection = (east * east - west * west + north - south) / h_;
          u_next_[c] = u_[c] + dt_ * (laplacian(u_, c) / reynolds - advection);
        }
      }
      how.did(37 * (n_ - 1) * rows.size());
    });
  }

  void momentum_y(const execution& how) {
    const std::size_t w = width();
    how.loop(n_ - 1, [&, w](ms::range rows) {  // the last row's upper edges are the lid
      for (const std::int64_t row : rows) {
        reads(how, v_, row, 3);
        reads(how, u_, row + 1, 2);
        reads(how, t_, row + 1, 2);
        writes(how, v_next_, row + 1);
      }
      for_cells(rows, [&, w](std::size_t c) {
        const double north = 0.5 * (v_[c] + v_[c + w]);
        const double south = 0.5 * (v_[c - w] + v_[c]);
        const double east = 0.25 * (u_[c] + u_[c + w]) * (v_[c] + v_[c + 1]);
        const double west = 0.25 * (u_[c - 1] + u_[c + w - 1]) * (v_[c - 1] + v_[c]);
        const double advection = (east - west + north * north - south * south) / h_;
        const double lift = buoyancy * 0.5 * (t_[c] + t_[c + w]);
        v_next_[c] = v_[c] + dt_ * (laplacian(v_, c) / reynolds - advection + lift);
      });
      how.did(40 * n_ * rows.size());
    });
  }

  void energy(const execution& how) {
    const std::size_t w = width();
    how.loop(n_, [&, w](ms::range rows) {
      for (const std::int64_t row : rows) {
        reads(how, t_, row, 3);
        reads(how, u_, row + 1);
        reads(how, v_, row, 2);
        writes(how, t_next_, row + 1);
      }
      for_cells(rows, [&, w](std::size_t c) {
        const double east = u_[c] * 0.5 * (t_[c] + t_[c + 1]);
        const double west = u_[c - 1] * 0.5 * (t_[c - 1] + t_[c]);
        const double north = v_[c] * 0.5 * (t_[c] + t_[c + w]);
        const double south = v_[c - w] * 0.5 * (t_[c - w] + t_[c]);
        const double advection = (east - west + north - south) / h_;
        t_next_[c] = t_[c] + dt_ * (laplacian(t_, c) / (reynolds * prandtl) - advection);
      });
      how.did(35 * n_ * rows.size());
    });
  }

  void pressure(const execution& how) {
    how.loop(n_, [&](ms::range rows) {
      for (const std::int64_t row : rows) {
        reads(how, u_next_, row + 1);
        reads(how, v_next_, row, 2);
        writes(how, source_, row + 1);
      }
      for_cells(rows, [&](std::size_t c) { source_[c] = divergence(u_next_, v_next_, c) / dt_; });
      how.did(11 * n_ * rows.size());
    });
    for (int sweep = 0; sweep < pressure_sweeps; ++sweep) {
      how.loop(n_, [&](ms::range rows) {
        for (const std::int64_t row : rows) {
          reads(how, p_, row, 3);
          reads(how, source_, row + 1);
          writes(how, p_next_, row + 1);
          if (row == 0) writes(how, p_next_, 0);
          if (row == n_ - 1) writes(how, p_next_, n_ + 1);
        }
        relax(rows);
        how.did(6 * n_ * rows.size());
      });
      p_.swap(p_next_);
    }
  }

  /// One Jacobi sweep of some rows, and the rim beside them: no flux through walls.
  void relax(ms::range rows) {
    const std::size_t w = width();
    for_cells(rows, [&, w](std::size_t c) {
      p_next_[c] = 0.25 * (p_[c - 1] + p_[c + 1] + p_[c - w] + p_[c + w] - h_ * h_ * source_[c]);
    });
    for (const std::int64_t row : rows) {
      const std::size_t begin = static_cast<std::size_t>(row + 1) * w;
      p_next_[begin] = p_next_[begin + 1];
      p_next_[begin + w - 1] = p_next_[begin + w - 2];
      if (row == 0) std::copy_n(&p_next_[begin], w, &p_next_[begin - w]);
      if (row == n_ - 1) std::copy_n(&p_next_[begin], w, &p_next_[begin + w]);
    }
  }

  void correct_u(const execution& how) {
    how.loop(n_, [&](ms::range rows) {
      for (const std::int64_t row : rows) {
        const std::size_t first = static_cast<std::size_t>(row + 1) * width() + 1;
        const std::size_t wall = first + static_cast<std::size_t>(n_) - 1;
        reads(how, u_next_, row + 1);
        reads(how, p_, row + 1);
        writes_to_wall(how, u_, row + 1);
        for (std::size_t c = first; c < wall; ++c) u_[c] = u_next_[c] - dt_ / h_ * (p_[c + 1] - p_[c]);
      }
      how.did(3 * (n_ - 1) * rows.size());
    });
  }

  void correct_v(const execution& how) {
    how.loop(n_ - 1, [&](ms::range rows) {
      for (const std::int64_t row : rows) {
        reads(how, v_next_, row + 1);
        reads(how, p_, row + 1, 2);
        writes(how, v_, row + 1);
      }
      for_cells(rows, [&](std::size_t c) { v_[c] = v_next_[c] - dt_ / h_ * (p_[c + width()] - p_[c]); });
      how.did(3 * n_ * rows.size());
    });
  }

  /// Mirrors what lies beside the walls: no slip (the lid drags), a floor of temperature 1, a lid of 0, insulated
  /// sides.
  void set_boundaries() {
    const std::size_t w = width();
    const auto n = static_cast<std::size_t>(n_);
    for (std::size_t i = 1; i <= n; ++i) {
      u_[i] = -u_[w + i];
      u_[(n + 1) * w + i] = 2 * lid_speed - u_[n * w + i];
      v_[i * w] = -v_[i * w + 1];
      v_[i * w + n + 1] = -v_[i * w + n];
      t_[i] = 2 - t_[w + i];
      t_[(n + 1) * w + i] = -t_[n * w + i];
      t_[i * w] = t_[i * w + 1];
      t_[i * w + n + 1] = t_[i * w + n];
    }
  }

  void uses_boundaries(const execution& how) const {
    for (const field* a : {&u_, &t_})
      for (const std::int64_t row : {std::int64_t{0}, n_ + 1}) writes(how, *a, row);
    for (const field* a : {&u_, &t_})
      for (const std::int64_t row : {std::int64_t{1}, n_}) reads(how, *a, row);
    for (const field* a : {&v_, &t_})
      for (std::int64_t row = 1; row <= n_; ++row) {
        const double* first = &(*a)[static_cast<std::size_t>(row) * width()];
        how.writes(first, 2);
        how.writes(first + n_, 2);
      }
  }

  std::int64_t n_;
  int steps_;
  double h_;
  double dt_;
  field u_, v_, u_next_, v_next_, p_, p_next_, t_, t_next_, source_;
  double kinetic_ = 0;
};

}  // namespace

const program cfd{
    "cfd",
    "a heated cavity with a moving lid: Navier-Stokes and energy, explicit",
    "cells per edge",
    {128, 20, 4},
    "time steps",
    {20, 3, 1},
    0.5,
    [](int size, int steps) -> std::unique_ptr<problem> { return std::make_unique<cavity>(size, steps); }};

}  // namespace figures
