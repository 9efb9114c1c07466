#include "program.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  /// Below n.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  random_numbers r(a * 0x100000001B3u ^ b);
  return r.next();
}

enum class kind { in, out, inout, concurrent, reduction, tile_in, tile_out, tile_inout };
constexpr int kinds = 8;
constexpr int plain_kinds = 3;
constexpr const char* names[] = {"in", "out", "inout", "concurrent", "reduction", "in", "out", "inout"};

#ifdef MASLIN_WORD_BYTES
/// A number in so many bytes: with a page to itself, page protection watches each.
struct alignas(MASLIN_WORD_BYTES) word {
  std::uint32_t value;

  word& operator=(std::uint32_t v) {
    value = v;
    return *this;
  }
  operator std::uint32_t() const { return value; }
};
#else
using word = std::uint32_t;
#endif

/// Where the memory of a program that shows what it does begins.
const word* shown = nullptr;

/// What tasks add to in any order.
struct total {
  ms::mutex lock;
  std::uint64_t sum = 0;
};

/// How the tasks of a program behave.
struct manner {
  bool failing;  ///< they may throw
  bool ranked;   ///< they have priorities; those that have one are never set aside (exec/threads)
  total* adds;   ///< null where they must not want the lock: who creates them has it, or they may not run
};

/// The memory that a creator's tasks name.
struct arena {
  word* data;
  std::size_t extent;
  manner how;

  arena part(std::size_t first, std::size_t count) const { return {data + first, count, how}; }
};

std::uint64_t checksum(const word* data, std::size_t count) {
  std::uint64_t sum = count;
  for (std::size_t k = 0; k < count; ++k) sum = mixed(sum, data[k]);
  return sum;
}

/// One access: a range, or a tile of `rows` × `cols` whose columns lie `ld` apart.
struct wish {
  kind what;
  word* data;
  std::size_t rows;
  std::size_t cols = 1;
  std::size_t ld = 0;
};

/// Data as a body received it.
struct piece {
  kind what;
  word* data;
  std::size_t rows;
  std::size_t cols;
  std::size_t ld;

  bool reads() const {
    return what == kind::in || what == kind::inout || what == kind::tile_in || what == kind::tile_inout;
  }
  bool writes() const {
    return what == kind::out || what == kind::inout || what == kind::tile_out || what == kind::tile_inout;
  }
  template <class F>
  void each(F&& f) const {
    for (std::size_t c = 0; c < cols; ++c)
      for (std::size_t r = 0; r < rows; ++r) f(data[c * ld + r], c * rows + r);
  }
};

template <class T>
piece received(kind what, ms::view<T> v) {
  return {what, const_cast<word*>(v.data()), v.size(), 1, v.size()};
}
template <class T>
piece received(kind what, ms::tile<T> t) {
  return {what, const_cast<word*>(t.data), t.rows, t.cols, t.ld};
}

wish random_wish(random_numbers& r, const arena& a, bool plain) {
  wish w{static_cast<kind>(r.below(plain || r.one_in(2) ? plain_kinds : kinds)), nullptr, 0};
  if (w.what >= kind::tile_in && a.extent >= 12) {
    const std::size_t ld = 4 + r.below(3);
    w.rows = 1 + r.below(ld);
    w.cols = 1 + r.below((a.extent - w.rows) / ld + 1);
    w.ld = ld;
    w.data = a.data + r.below(a.extent - ((w.cols - 1) * ld + w.rows) + 1);
    return w;
  }
  if (w.what >= kind::tile_in) w.what = kind::inout;
  if (r.one_in(3)) {
    w.rows = 1 + r.below(a.extent);
    w.data = a.data + r.below(a.extent - w.rows + 1);
  } else {  // of a few blocks, so that many name the same
    const std::size_t blocks = a.extent < 4 ? 1 : 4;
    w.rows = a.extent / blocks;
    w.data = a.data + r.below(blocks) * w.rows;
  }
  return w;
}

void body(std::uint64_t id, manner how, int depth, const piece* pieces, std::size_t count);

/// Calls `use(accesses...)` with what the wishes from `I` on ask for.
template <std::size_t I, std::size_t Count, bool Plain, class Use, class... Accesses>
void with_accesses(const std::array<wish, Count>& all, Use&& use, const Accesses&... accesses) {
  if constexpr (I == Count) {
    use(accesses...);
  } else {
    const wish& w = all[I];
    const std::span range(w.data, w.rows);
    const ms::tile<word> tile{w.data, w.rows, w.cols, w.ld};
    const auto go_on = [&](const auto& access) { with_accesses<I + 1, Count, Plain>(all, use, accesses..., access); };
    if constexpr (!Plain) {
      switch (w.what) {
        case kind::concurrent:
          return go_on(ms::concurrent(range));
        case kind::reduction:
          return go_on(ms::reduction(range));
        case kind::tile_in:
          return go_on(ms::in(tile));
        case kind::tile_out:
          return go_on(ms::out(tile));
        case kind::tile_inout:
          return go_on(ms::inout(tile));
        default:
          break;
      }
    }
    switch (w.what) {
      case kind::in:
        return go_on(ms::in(range));
      case kind::out:
        return go_on(ms::out(range));
      default:
        return go_on(ms::inout(range));
    }
  }
}

template <std::size_t Count, bool Plain>
void create(random_numbers& r, const arena& a, std::uint64_t id, int depth, ms::group* in) {
  std::array<wish, Count> all;
  for (wish& w : all) w = random_wish(r, a, Plain);
  for (std::size_t i = 0; i < Count; ++i)  // what one task reduces has no other access in it, so that is alone
    if (all[i].what == kind::reduction && Count > 1) all[i].what = kind::concurrent;
  for (std::size_t i = 0; i < Count; ++i)
    for (std::size_t k = 0; k < Count; ++k)  // what it updates in any order, it must not read otherwise
      if (k != i && all[i].what == kind::concurrent) {
        const auto end = [](const wish& w) { return w.data + (w.cols - 1) * w.ld + w.rows; };
        if (all[i].data < end(all[k]) && all[k].data < end(all[i])) all[i].what = kind::inout;
      }
  if (shown) {
    std::printf("%*s%s", 2 * (3 - depth), "", in ? "group task" : "task");
    for (const wish& w : all)
      std::printf("  %s[%td +%zu%s]", names[static_cast<int>(w.what)], w.data - shown, w.rows,
                  w.cols > 1 ? (" x" + std::to_string(w.cols) + " every " + std::to_string(w.ld)).c_str() : "");
    std::puts("");
  }
  std::array<kind, Count> what;
  for (std::size_t i = 0; i < Count; ++i) what[i] = all[i].what;
  const auto run = [id, how = a.how, depth, what](auto... views) {
    std::size_t i = 0;
    const std::array<piece, Count> pieces{received(what[i++], views)...};
    body(id, how, depth, pieces.data(), Count);
  };
  const ms::priority rank{a.how.ranked ? static_cast<int>(r.below(3)) : 0};
  with_accesses<0, Count, Plain>(all, [&](const auto&... accesses) {
    if (in)
      in->task(run, accesses..., rank);
    else
      ms::task(run, accesses..., rank);
  });
}

void create_random(random_numbers& r, const arena& a, int depth, ms::group* in = nullptr) {
  const std::uint64_t id = r.next();
  switch (r.below(4)) {
    case 0:
      return create<1, false>(r, a, id, depth, in);
    case 1:
    case 2:
      return create<2, false>(r, a, id, depth, in);
    default:
      return create<3, true>(r, a, id, depth, in);
  }
}

/// Waits for some of what the creator's tasks write, and gives what is there.
std::uint64_t wait_on_part(random_numbers& r, const arena& a) {
  const wish w = random_wish(r, a, true);
  if (shown) std::printf("wait_on [%td +%zu]\n", w.data - shown, w.rows);
  ms::wait_on(std::span(w.data, w.rows));
  return checksum(w.data, w.rows);
}

/// What a task does: reads all that it reads, writes all that it writes, and creates tasks on parts of that, for which
/// it may wait.
void body(std::uint64_t id, manner how, int depth, const piece* pieces, std::size_t count) {
  random_numbers r(id);
  std::uint64_t sum = id;
  for (std::size_t i = 0; i < count; ++i)
    if (pieces[i].reads())
      pieces[i].each([&](std::uint32_t value, std::size_t at) { sum = mixed(sum, value + (at << 32)); });
  const bool fails = how.failing && r.one_in(24);
  if (fails && r.one_in(2)) throw std::runtime_error(std::string("before ").append(std::to_string(id % 10007)));
  if (r.one_in(16)) std::this_thread::yield();  // others overtake it
  std::unique_lock<ms::mutex> held;
  if (how.adds && r.one_in(8)) {
    held = std::unique_lock(how.adds->lock);
    how.adds->sum += sum;
    if (r.one_in(2))
      held.unlock();
    else
      how.adds = nullptr;
  }
  const piece* mine = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    const piece& p = pieces[i];
    const bool adds = p.what == kind::concurrent || p.what == kind::reduction;
    if (p.what == kind::inout && p.rows >= 2) mine = &p;
    if (p.writes() && p.cols == 1 && r.one_in(6)) {
      ms::parallel_for(0, static_cast<std::int64_t>(p.rows), [&](ms::range part) {
        for (const std::int64_t k : part)
          p.data[k] = static_cast<std::uint32_t>(mixed(sum, static_cast<std::uint64_t>(k)));
      });
    } else if (p.writes() || adds) {
      p.each([&](word& value, std::size_t at) {
        const auto made = static_cast<std::uint32_t>(mixed(sum, at));
        value = adds ? value + made : made;
      });
    }
  }
  if (fails) throw std::runtime_error(std::string("after ").append(std::to_string(id % 10007)));
  if (depth == 0 || !mine || !r.one_in(3)) return;
  const arena inside{mine->data, mine->rows, how};
  const std::size_t children = 1 + r.below(6);
  const bool grouped = r.one_in(4);
  std::uint64_t seen = id;
  ms::group g;
  for (std::size_t k = 0; k < children; ++k) {
    create_random(r, inside, depth - 1, grouped && k % 2 == 0 ? &g : nullptr);
    if (r.one_in(5)) ms::wait();  // what it throws is this task's exception
    if (r.one_in(8)) seen = mixed(seen, wait_on_part(r, inside));
  }
  if (grouped && r.one_in(2)) g.wait();
  if (!r.one_in(2)) return;
  g.wait();
  ms::wait();
  mine->each([&](word& value, std::size_t) { value = static_cast<std::uint32_t>(seen = mixed(seen, value)); });
}

/// Creates many tasks that take less than it costs to hand them over, on words of the arena, and a few others between.
void create_small(random_numbers& r, const arena& a, ms::group* in) {
  const std::size_t tasks = 1 + r.below(r.one_in(8) ? 5000 : 300);
  if (shown) std::printf("%zu small tasks%s\n", tasks, in ? " of the group" : "");
  const auto create = [&](auto&& run, const auto& from, const auto& to, int rank) {
    if (in)
      in->task(run, from, to, ms::priority{rank});
    else
      ms::task(run, from, to, ms::priority{rank});
  };
  for (std::size_t k = 0; k < tasks; ++k) {
    word& from = a.data[r.below(a.extent)];
    word& to = a.data[r.below(a.extent)];
    const auto salt = static_cast<std::uint32_t>(r.next());
    const int rank = a.how.ranked && r.one_in(16) ? 1 + static_cast<int>(r.below(2)) : 0;
    const bool fails = a.how.failing && r.one_in(1024);
    if (&from != &to && r.one_in(4))
      create([salt](ms::view<const word> f, ms::view<word> t) { t[0] = f[0] * 5 + salt; }, ms::in(from), ms::out(to),
             rank);
    else
      create(
          [salt, fails](ms::view<const word> f, ms::view<word> t) {
            if (fails) throw std::runtime_error("small " + std::to_string(salt % 10007));
            t[0] = t[0] * 5 + f[0] + salt;
          },
          ms::in(from), ms::inout(to), rank);
    if (r.one_in(64)) create_random(r, a, 1, in);
  }
}

/// Gives whether the wait threw nothing.
template <class Wait>
bool note(std::string& log, const char* what, Wait&& wait) {
  if (shown) std::puts(what);
  log += what;
  try {
    wait();
    log += ": well\n";
    return true;
  } catch (const ms::error&) {
    log += ": void data\n";
  } catch (const std::exception& e) {
    log.append(": ").append(e.what()).append("\n");
    for (const auto& other : ms::other_exceptions()) try {
        std::rethrow_exception(other);
      } catch (const std::exception& o) {
        log.append("  and ").append(o.what()).append("\n");
      }
  }
  return false;
}

}  // namespace

outcome run_program(std::uint64_t seed, const program_options& options) {
  random_numbers r(seed);
  outcome result;
  std::vector<word> memory(8 + r.below(56));
  const auto refill = [&] {
    for (word& one : memory) one = static_cast<std::uint32_t>(r.next());
  };
  refill();
  total sum;
  const bool failing = r.one_in(4);
  const arena all{memory.data(), memory.size(), {failing, r.one_in(4), &sum}};
  const std::size_t statements = std::min(4 + r.below(30), options.statements);
  shown = options.show ? memory.data() : nullptr;
  ms::group g;
  const auto log_number = [&](std::uint64_t number) { result.log.append(" ").append(std::to_string(number)); };
  const auto look = [&] { log_number(checksum(memory.data(), memory.size())); };
  /// Waits for all; gives whether nothing was thrown.
  const auto settled = [&] {
    const bool group = note(result.log, "group", [&] { g.wait(); });
    return note(result.log, "wait", [] { ms::wait(); }) && group;
  };
  bool well = true;
  for (std::size_t i = 0; i < statements; ++i) {
    switch (r.below(20)) {
      case 0:
        well = note(result.log, "wait", [] { ms::wait(); });
        break;
      case 1:
        well = note(result.log, "wait_on", [&] { log_number(wait_on_part(r, all)); });
        break;
      case 2:
        create_random(r, all, 2, &g);
        break;
      case 3:
        well = note(result.log, "group", [&] { g.wait(); });
        break;
      case 4: {
        const std::uint64_t inner = r.next();
        const std::size_t times = r.below(3);
        well = note(result.log, "replay", [&] {
          ms::recording again = ms::record([&] {
            random_numbers mine(inner);
            const std::size_t tasks = 1 + mine.below(12);
            for (std::size_t k = 0; k < tasks; ++k) create_random(mine, all, 1);
          });
          for (std::size_t k = 0; k < times; ++k) ms::replay(again);
        });
        break;
      }
      case 5:
        create_small(r, all, r.one_in(3) ? &g : nullptr);
        break;
      case 6:  // the program itself looks at all, and writes some
        if (!(well = settled())) break;
        look();
        log_number(sum.sum);
        for (std::size_t k = r.below(3); k > 0; --k)
          memory[r.below(memory.size())] = static_cast<std::uint32_t>(r.next());
        break;
      case 7: {  // which tasks run is chance, and so is what they leave
        if (!(well = settled())) break;
        const arena dropped{memory.data(), memory.size(), {false, all.how.ranked, nullptr}};
        const std::size_t tasks = 1 + r.below(12), cancelled_at = r.below(tasks + 1);
        ms::group some;
        for (std::size_t k = 0; k <= tasks; ++k) {
          if (k == cancelled_at) some.cancel();
          if (k < tasks) create_random(r, dropped, 1, &some);
        }
        well = note(result.log, "cancelled", [&] { result.log.append(some.wait() ? " ran" : " did not run"); });
        well = settled() && well;
        refill();
        break;
      }
      case 8: {
        if (!(well = settled())) break;
        const std::size_t half = memory.size() / 2;
        const auto branch = [](std::uint64_t id, const arena& its) {
          random_numbers mine(id);
          for (std::size_t k = 1 + mine.below(6); k > 0; --k) create_random(mine, its, 1);
        };
        const std::uint64_t first = r.next(), second = r.next();
        well = note(result.log, "fork", [&] {
          ms::fork([&] { branch(first, all.part(0, half)); },
                   [&] { branch(second, all.part(half, memory.size() - half)); });
          look();
        });
        break;
      }
      case 9: {
        const wish w = random_wish(r, all, true);
        well = note(result.log, "async", [&] {
          log_number(
              ms::async([](ms::view<const word> v) { return checksum(v.data(), v.size()); }, ms::in(w.data, w.rows))
                  .get());
        });
        break;
      }
      default:
        create_random(r, all, 2);
        break;
    }
    if (well) continue;
    // What a task that throws has written is void, and what those have left that would have read it.
    settled();
    refill();
    sum.sum = 0;
    well = true;
  }
  if (settled()) result.memory.assign(memory.begin(), memory.end());
  return result;
}
