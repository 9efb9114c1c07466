// MDJ: molecular dynamics of Lennard-Jones dimers in a periodic box (velocity Verlet, cell lists, reduced units).
// Functional parallelism in each step: the forces between molecules, the springs within them and the radial
// distribution depend on the positions only; so do the two energies on what these gave. Each is a loop, those over
// pairs a loop over cells.

#include <array>
#include <cmath>

#include "program.hpp"

namespace figures {

namespace {

constexpr double density = 0.8442;
constexpr double temperature = 0.72;
constexpr double cutoff = 2.5;
constexpr double spring = 100;
constexpr double dt = 0.002;
constexpr int bins = 50;
constexpr std::int64_t energy_block = 64;  // particles

struct vector3 {
  double x = 0, y = 0, z = 0;

  vector3& operator+=(const vector3& o) {
    x += o.x;
    y += o.y;
    z += o.z;
    return *this;
  }
  friend vector3 operator+(vector3 a, const vector3& b) { return a += b; }
  friend vector3 operator-(const vector3& a, const vector3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend vector3 operator*(double s, const vector3& a) { return {s * a.x, s * a.y, s * a.z}; }
  double square() const { return x * x + y * y + z * z; }
};

/// Counts of distances.
struct histogram {
  std::array<std::int64_t, bins> pairs{};

  friend histogram operator+(histogram a, const histogram& b) {
    for (std::size_t i = 0; i < bins; ++i) a.pairs[i] += b.pairs[i];
    return a;
  }
};

class molecules final : public problem {
 public:
  /// `edge`: face-centred unit cells of four particles along each edge of the box.
  molecules(int edge, int steps)
      : steps_(steps),
        n_(4LL * edge * edge * edge),
        side_(edge * std::cbrt(4 / density)),
        cells_per_edge_(static_cast<int>(side_ / cutoff)),
        first_of_(static_cast<std::size_t>(cells()) + 1),
        members_(static_cast<std::size_t>(n_)) {
    const double a = side_ / edge;
    constexpr vector3 basis[] = {{0.25, 0.25, 0.25}, {0.75, 0.75, 0.25}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}};
    for (int x = 0; x < edge; ++x)
      for (int y = 0; y < edge; ++y)
        for (int z = 0; z < edge; ++z)
          for (const vector3& b : basis) given_at_.push_back(a * (vector3{1.0 * x, 1.0 * y, 1.0 * z} + b));
    rest_length_ = a * std::sqrt(0.5);
    const auto random = noise(3 * count(), 40);
    vector3 mean;
    for (std::size_t i = 0; i < count(); ++i) {
      given_speed_.push_back({random[3 * i], random[3 * i + 1], random[3 * i + 2]});
      mean += (1.0 / static_cast<double>(n_)) * given_speed_.back();
    }
    double square = 0;
    for (vector3& v : given_speed_) square += (v = v - mean).square();
    for (vector3& v : given_speed_) v = std::sqrt(3 * static_cast<double>(n_) * temperature / square) * v;
  }

  void reset() override {
    at_ = given_at_;
    speed_ = given_speed_;
    for (auto* f : {&pair_force_, &bond_force_}) f->assign(count(), {});
    for (auto* e : {&pair_energy_, &bond_energy_}) e->assign(count(), 0.0);
    energies_.clear();
  }

  void run(const execution& how) override {
    forces(how);
    energies(how);
    for (int step = 0; step < steps_; ++step) {
      how.loop(n_, [&](ms::range r) {
        kick(how, r);
        how.writes(&at_[first(r)], r.size());
        for (std::size_t i = first(r); i < last(r); ++i) at_[i] = wrapped(at_[i] + dt * speed_[i]);
        how.did(15 * r.size());
      });
      forces(how);
      how.loop(n_, [&](ms::range r) {
        kick(how, r);
        how.did(9 * r.size());
      });
      energies(how);
    }
  }

  std::vector<double> answer() const override {
    std::vector<double> all = energies_;
    for (const auto* vectors : {&at_, &speed_})
      for (const vector3& v : *vectors) all.insert(all.end(), {v.x, v.y, v.z});
    for (const std::int64_t pairs : distribution_.pairs) all.push_back(static_cast<double>(pairs));
    return all;
  }

  /// How far the total energy strayed from where it began.
  double defect() const override {
    double worst = 0;
    for (const double energy : energies_) worst = std::max(worst, std::abs(energy / energies_.front() - 1));
    return worst;
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(n_); }
  std::int64_t cells() const { return std::int64_t{cells_per_edge_} * cells_per_edge_ * cells_per_edge_; }
  static std::size_t first(ms::range r) { return static_cast<std::size_t>(r.first); }
  static std::size_t last(ms::range r) { return static_cast<std::size_t>(r.last); }

  double wrapped(double x) const { return x < 0 ? x + side_ : x >= side_ ? x - side_ : x; }
  vector3 wrapped(const vector3& v) const { return {wrapped(v.x), wrapped(v.y), wrapped(v.z)}; }
  double nearest(double d) const { return d > 0.5 * side_ ? d - side_ : d < -0.5 * side_ ? d + side_ : d; }
  /// From `b` to the nearest image of `a`.
  vector3 between(const vector3& a, const vector3& b) const {
    const vector3 d = a - b;
    return {nearest(d.x), nearest(d.y), nearest(d.z)};
  }

  /// Half a time step of acceleration.
  void kick(const execution& how, ms::range r) {
    for (const auto* force : {&pair_force_, &bond_force_}) how.reads(&(*force)[first(r)], r.size());
    how.writes(&speed_[first(r)], r.size());
    for (std::size_t i = first(r); i < last(r); ++i) speed_[i] += 0.5 * dt * (pair_force_[i] + bond_force_[i]);
  }

  std::size_t cell_along(double x) const {
    const int cell = static_cast<int>(x / side_ * cells_per_edge_);
    return static_cast<std::size_t>(std::min(cell, cells_per_edge_ - 1));  // a quotient may be rounded up to the edge
  }
  std::size_t cell_of(const vector3& v) const {
    const auto edge = static_cast<std::size_t>(cells_per_edge_);
    return (cell_along(v.x) * edge + cell_along(v.y)) * edge + cell_along(v.z);
  }

  /// Lists the particles by cell: those of cell c are members_[first_of_[c]] to members_[first_of_[c + 1]].
  void list_cells() {
    std::fill(first_of_.begin(), first_of_.end(), 0);
    for (const vector3& v : at_) ++first_of_[cell_of(v) + 1];
    for (std::size_t c = 1; c < first_of_.size(); ++c) first_of_[c] += first_of_[c - 1];
    std::vector<std::size_t> next(first_of_.begin(), first_of_.end() - 1);
    for (std::size_t i = 0; i < count(); ++i) members_[next[cell_of(at_[i])]++] = i;
  }

  /// Calls body(c) for `cell` and each cell around it, always in the same order.
  template <class Body>
  void for_neighbour_cells(std::int64_t cell, Body&& body) const {
    const std::int64_t edge = cells_per_edge_;
    const std::int64_t x = cell / (edge * edge);
    const std::int64_t y = cell / edge % edge;
    const std::int64_t z = cell % edge;
    for (std::int64_t dx = edge - 1; dx <= edge + 1; ++dx)
      for (std::int64_t dy = edge - 1; dy <= edge + 1; ++dy)
        for (std::int64_t dz = edge - 1; dz <= edge + 1; ++dz) {
          body(static_cast<std::size_t>(((x + dx) % edge * edge + (y + dy) % edge) * edge + (z + dz) % edge));
        }
  }
  /// The same for each particle in these cells.
  template <class Body>
  void for_neighbours(std::int64_t cell, Body&& body) const {
    for_neighbour_cells(cell, [&](std::size_t at) {
      for (std::size_t m = first_of_[at]; m < first_of_[at + 1]; ++m) body(members_[m]);
    });
  }

  template <class Body>
  void for_members(std::int64_t cell, Body&& body) const {
    const auto at = static_cast<std::size_t>(cell);
    for (std::size_t m = first_of_[at]; m < first_of_[at + 1]; ++m) body(members_[m]);
  }

  /// The loops over pairs read what is in and around a cell.
  void reads_around(const execution& how, std::int64_t cell) const {
    if (!how.uses) return;
    for_neighbour_cells(cell, [&](std::size_t at) {
      how.reads(&first_of_[at], 2);
      how.reads(members_.data() + first_of_[at], static_cast<std::int64_t>(first_of_[at + 1] - first_of_[at]));
    });
    for_neighbours(cell, [&](std::size_t j) { how.reads(&at_[j], 1); });
  }

  /// Gives how many distances the loops over pairs take for some cells.
  std::int64_t pairs_looked_at(ms::range some) const {
    std::int64_t pairs = 0;
    for (const std::int64_t cell : some) {
      std::int64_t around = 0;
      for_neighbours(cell, [&](std::size_t) { ++around; });
      const auto at = static_cast<std::size_t>(cell);
      pairs += around * static_cast<std::int64_t>(first_of_[at + 1] - first_of_[at]);
    }
    return pairs;
  }

  void forces(const execution& how) {
    list_cells();
    how.reads(at_.data(), n_);
    how.writes(first_of_.data(), cells() + 1);
    how.reads(at_.data(), n_);
    how.writes(members_.data(), n_);
    how.did(30 * n_);
    how.together([&] { pair_forces(how); }, [&] { bond_forces(how); }, [&] { distribution(how); });
  }

  void pair_forces(const execution& how) {
    constexpr double square_cutoff = cutoff * cutoff;
    constexpr double sixth_at_cutoff = 1 / (square_cutoff * square_cutoff * square_cutoff);
    constexpr double at_cutoff = 4 * sixth_at_cutoff * (sixth_at_cutoff - 1);
    how.loop(cells(), [&](ms::range some) {
      std::int64_t near = 0;
      for (const std::int64_t cell : some) {
        reads_around(how, cell);
        for_members(cell, [&](std::size_t i) {
          how.writes(&pair_force_[i], 1);
          how.writes(&pair_energy_[i], 1);
          vector3 force;
          double energy = 0;
          for_neighbours(cell, [&](std::size_t j) {
            const vector3 d = between(at_[i], at_[j]);
            const double square = d.square();
            if (square >= square_cutoff || j == i) return;
            ++near;
            const double inverse = 1 / square;
            const double sixth = inverse * inverse * inverse;
            force += 48 * inverse * sixth * (sixth - 0.5) * d;
            energy += 4 * sixth * (sixth - 1) - at_cutoff;
          });
          pair_force_[i] = force;
          pair_energy_[i] = 0.5 * energy;
        });
      }
      how.did(8 * pairs_looked_at(some) + 21 * near);
    });
  }

  /// Particles 2i and 2i+1 are one molecule.
  void bond_forces(const execution& how) {
    how.loop(n_ / 2, [&](ms::range some) {
      const std::size_t from = 2 * first(some);
      how.reads(&at_[from], 2 * some.size());
      how.writes(&bond_force_[from], 2 * some.size());
      how.writes(&bond_energy_[from], 2 * some.size());
      for (std::size_t i = 2 * first(some); i < 2 * last(some); i += 2) {
        const vector3 d = between(at_[i], at_[i + 1]);
        const double length = std::sqrt(d.square());
        const double stretch = length - rest_length_;
        bond_force_[i] = -spring * stretch / length * d;
        bond_force_[i + 1] = spring * stretch / length * d;
        bond_energy_[i] = 0.5 * spring * stretch * stretch;
      }
      how.did(32 * some.size());
    });
  }

  void distribution(const execution& how) {
    distribution_ = how.reduce(cells(), 1, histogram{}, std::plus{}, [&](ms::range some) {
      histogram here;
      std::int64_t near = 0;
      for (const std::int64_t cell : some) {
        reads_around(how, cell);
        for_members(cell, [&](std::size_t i) {
          for_neighbours(cell, [&](std::size_t j) {
            const double square = between(at_[i], at_[j]).square();
            if (square >= cutoff * cutoff || j == i) return;
            ++near;
            const auto bin = static_cast<std::size_t>(std::sqrt(square) * (bins / cutoff));
            ++here.pairs[std::min<std::size_t>(bin, bins - 1)];  // a root may be rounded up to the cutoff
          });
        });
      }
      how.did(8 * pairs_looked_at(some) + 5 * near);
      return here;
    });
  }

  void energies(const execution& how) {
    double kinetic = 0;
    double potential = 0;
    how.together(
        [&] {
          kinetic = how.reduce(n_, energy_block, 0.0, std::plus{}, [&](ms::range r) {
            double sum = 0;
            how.reads(&speed_[first(r)], r.size());
            for (std::size_t i = first(r); i < last(r); ++i) sum += 0.5 * speed_[i].square();
            how.did(7 * r.size());
            return sum;
          });
        },
        [&] {
          potential = how.reduce(n_, energy_block, 0.0, std::plus{}, [&](ms::range r) {
            double sum = 0;
            how.reads(&pair_energy_[first(r)], r.size());
            how.reads(&bond_energy_[first(r)], r.size());
            for (std::size_t i = first(r); i < last(r); ++i) sum += pair_energy_[i] + bond_energy_[i];
            how.did(2 * r.size());
            return sum;
          });
        });
    energies_.push_back(kinetic + potential);
  }

  int steps_;
  std::int64_t n_;
  double side_;
  int cells_per_edge_;
  double rest_length_ = 0;
  array_of<vector3> given_at_, given_speed_;
  array_of<vector3> at_, speed_, pair_force_, bond_force_;
  array_of<double> pair_energy_, bond_energy_;
  array_of<std::size_t> first_of_, members_;
  histogram distribution_;
  std::vector<double> energies_;  // total, at the start and after each step
};

}  // namespace

const program mdj{
    "mdj",
    "molecular dynamics of Lennard-Jones dimers, with cell lists",
    "unit cells per edge",
    {8, 5, 5},
    "time steps",
    {5, 2, 1},
    5e-5,
    [](int size, int steps) -> std::unique_ptr<problem> { return std::make_unique<molecules>(size, steps); }};

}  // namespace figures
