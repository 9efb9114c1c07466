#include "exec/foreign/libraries.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "base/sanitizers.hpp"

#ifdef MASLIN_TSAN
extern "C" {  // what ThreadSanitizer offers; gcc has no header for it
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
}
#endif

namespace maslin::foreign {

namespace {

base::mutex look_lock;
std::array<library, most_libraries> all;  // filled under look_lock; what is below `count` never changes again
std::atomic<int> count{0};
std::atomic<int> process_wide{0};
unsigned long long loads_seen MASLIN_GUARDED_BY(look_lock) = 0;

// OpenMP and OpenBLAS: void set(int), int get(). OpenBLAS's and MKL's "local" calls: int set(int), which gives the
// limit before. BLIS counts in its own integer, 64 bits wide unless built otherwise; the lower half says it all.
int set_and_get(const library& of, int limit) {
  const int before = reinterpret_cast<int (*)()>(of.get)();
  reinterpret_cast<void (*)(int)>(of.set)(limit);
  return before;
}
int set_gives_previous(const library& of, int limit) { return reinterpret_cast<int (*)(int)>(of.set)(limit); }
int set_and_get_wide(const library& of, int limit) {
  const auto before = reinterpret_cast<std::int64_t (*)()>(of.get)();
  reinterpret_cast<void (*)(std::int64_t)>(of.set)(limit);
  return static_cast<int>(before);
}

/// Gives whether a limit that another thread sets is the caller's, too: releases differ, and no call tells.
bool is_process_wide(const library& of, int (*get)(const library&)) {
  const int before = get(of);
  int others = before;
  try {
    std::thread([&] { others = of.exchange(before == 1 ? 2 : 1); }).join();
  } catch (const std::system_error&) {
    return true;  // no thread to find out with: what is safe is that it is
  }
  if (get(of) == before) return false;
  of.exchange(others);
  return true;
}

std::string file_of(void* function) {
  Dl_info where{};
  if (!dladdr(function, &where) || !where.dli_fname) return "unknown";
  const std::string_view path = where.dli_fname;
  return std::string(path.substr(path.rfind('/') + 1));
}

/// The library of that function is never unloaded: from now on it may be called at any time.
void keep_loaded(void* function) {
  Dl_info where{};
  if (!dladdr(function, &where) || !where.dli_fname) return;
  if (void* handle = dlopen(where.dli_fname, RTLD_NOLOAD | RTLD_NODELETE | RTLD_LAZY)) dlclose(handle);
}

/// Adds the library whose limit `set` sets, unless it is known.
template <class Describe>
void add(void* set, Describe&& describe) {
  const int known_now = count.load(std::memory_order_relaxed);
  const auto end = all.begin() + known_now;
  if (!set || known_now == most_libraries || std::any_of(all.begin(), end, [&](auto& l) { return l.key == set; }))
    return;
  keep_loaded(set);
  library found;
  found.key = found.set = set;
  describe(found);
  *end = std::move(found);
  if (end->limits == reach::process) process_wide.fetch_add(1, std::memory_order_relaxed);
  count.store(known_now + 1, std::memory_order_release);  // pairs with the acquire of `known`
}

void add_openmp(void* handle) {
  add(dlsym(handle, "omp_set_num_threads"), [&](library& l) {
    l.name = "OpenMP (" + file_of(l.set) + ")";
    l.get = dlsym(handle, "omp_get_max_threads");
    if (!l.get) return;
    l.exchange_ = set_and_get;
    l.limits = reach::thread;  // the specification: a control variable of the calling task
  });
}

void add_mkl(void* handle) {
  add(dlsym(handle, "MKL_Set_Num_Threads_Local"), [](library& l) {
    l.name = "MKL (" + file_of(l.set) + ")";
    l.exchange_ = set_gives_previous;
    l.limits = reach::thread;
  });
}

void add_blis(void* handle) {
  add(dlsym(handle, "bli_thread_set_num_threads"), [&](library& l) {
    l.name = "BLIS";
    l.get = dlsym(handle, "bli_thread_get_num_threads");
    if (!l.get) return;
    if (void* version = dlsym(handle, "bli_info_get_version_str"))
      l.name = l.name + " " + reinterpret_cast<const char* (*)()>(version)();
    l.exchange_ = set_and_get_wide;
    // Each thread's since BLIS 1.0, unless built without thread-local storage.
    const auto get = [](const library& of) { return static_cast<int>(reinterpret_cast<std::int64_t (*)()>(of.get)()); };
    l.limits = is_process_wide(l, get) ? reach::process : reach::thread;
  });
}

void add_openblas(void* handle) {
  // Builds with 64-bit integers, and those that Python's packages carry, name their functions apart.
  for (const char* prefix : {"", "scipy_"})
    for (const char* suffix : {"", "64_", "_64"}) {
      const auto symbol = [&](const char* name) {
        return dlsym(handle, (std::string(prefix) + "openblas_" + name + suffix).c_str());
      };
      add(symbol("set_num_threads"), [&](library& l) {
        l.name = "OpenBLAS";
        l.get = symbol("get_num_threads");
        void* parallel = symbol("get_parallel");
        if (void* config = symbol("get_config")) {
          const std::string text = reinterpret_cast<const char* (*)()>(config)();  // "OpenBLAS 0.3.21 DYNAMIC_ARCH..."
          l.name = text.substr(0, text.find(' ', text.find(' ') + 1));
        }
        const int built = parallel ? reinterpret_cast<int (*)()>(parallel)() : 1;
        if (built == 0 || !l.get) return;
        l.name += built == 2 ? " (OpenMP)" : " (pthreads)";
        if (built == 2) return;  // each of its calls asks the OpenMP runtime
        // The local call came with 0.3.27; there it sets the process's limit all the same.
        if (void* local = symbol("set_num_threads_local")) {
          library candidate = l;
          candidate.set = local;
          candidate.exchange_ = set_gives_previous;
          const auto get = [](const library& of) { return reinterpret_cast<int (*)()>(of.get)(); };
          if (!is_process_wide(candidate, get)) {
            l = candidate;
            l.limits = reach::thread;
            return;
          }
        }
        l.exchange_ = set_and_get;
        l.limits = reach::process;
      });
    }
}

/// What is loaded now, of which the names say that it may be one of ours.
struct loaded {
  unsigned long long loads = 0;
  std::vector<std::string> files;
};

int count_loads(dl_phdr_info* info, std::size_t, void* into) {
  static_cast<loaded*>(into)->loads = info->dlpi_adds;
  return 1;  // the first says it for all
}

/// The name is the dynamic linker's, under its lock. ThreadSanitizer, which does not see that lock, excuses the name's
/// letters, but not the zero behind them.
std::string_view linkers_name(const char* name) {
#ifdef MASLIN_TSAN
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
#endif
  const std::string_view all_of_it = name;
#ifdef MASLIN_TSAN
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
  return all_of_it;
}

int collect_file(dl_phdr_info* info, std::size_t, void* into) try {
  const std::string_view path = linkers_name(info->dlpi_name);
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const std::string_view part : {"omp", "blas", "lapack", "blis", "mkl"})
    if (file.find(part) != std::string_view::npos) {
      static_cast<loaded*>(into)->files.emplace_back(path);
      break;
    }
  return 0;
} catch (const std::bad_alloc&) {
  return 1;
}

void add_all(void* handle) {
  add_openblas(handle);
  add_blis(handle);
  add_mkl(handle);
  add_openmp(handle);
}

}  // namespace

int look() {
  if (!look_lock.try_lock()) return known();
  const base::locked held(look_lock, std::adopt_lock);
  loaded now;
  dl_iterate_phdr(count_loads, &now);
  if (now.loads == loads_seen) return known();
  loads_seen = now.loads;
  dl_iterate_phdr(collect_file, &now);
  try {
    add_all(RTLD_DEFAULT);  // the program and what it was linked with
    for (const std::string& file : now.files)
      if (void* handle = dlopen(file.c_str(), RTLD_NOLOAD | RTLD_LAZY)) {
        add_all(handle);
        dlclose(handle);
      }
  } catch (const std::bad_alloc&) {
    loads_seen = 0;  // the next call tries again
  }
  return known();
}

int known() noexcept { return count.load(std::memory_order_acquire); }
int known_process_wide() noexcept { return process_wide.load(std::memory_order_relaxed); }
void around_fork(bool begins) noexcept MASLIN_UNCHECKED { begins ? look_lock.lock() : look_lock.unlock(); }
const library& at(int number) noexcept { return all[static_cast<std::size_t>(number)]; }

}  // namespace maslin::foreign
