#include "exec/report_file.hpp"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/cache_path.hpp"
#include "base/no_leak.hpp"
#include "base/processor.hpp"
#include "base/settings.hpp"
#include "exec/foreign/libraries.hpp"
#include "exec/leaving.hpp"
#include "exec/store/stores.hpp"
#include "files/marked.hpp"
#include "files/replacement.hpp"

namespace maslin {

namespace {

namespace fs = std::filesystem;

std::atomic<report_file*> now{nullptr};

/// The runtime, as it began.
struct known_run {
  base::mutex lock;
  std::optional<run_about> about MASLIN_GUARDED_BY(lock);  ///< nothing while none runs
};
std::atomic<known_run*> known{nullptr};  // never freed, since any thread may ask; a forked child gets its own

void know(std::optional<run_about> about) {
  known_run* here = known.load(std::memory_order_acquire);
  if (!here) known.store(here = new known_run, std::memory_order_release);  // a runtime begins, and no other can
  const base::locked held(here->lock);
  here->about = std::move(about);
}
pid_t forked = 0;  // set in a forked child: its own number

/// Gives the file's name without what a folder would be, or nobody could type.
std::string as_name(std::string text) {
  for (char& c : text)
    if (c == '/' || static_cast<unsigned char>(c) <= ' ') c = '_';
  return text;
}

/// Is this process one of the ranks of a job, and not the first? A thousand of them on a shared file system would all
/// say the same.
bool is_later_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(name); rank && *rank) return std::string_view(rank) != "0";
  return false;
}

/// Is that a name that reports in the user's folder have, PROGRAM.HOST.PROCESS.json, also half-written ones?
bool is_report_name(std::string_view name) {
  constexpr std::string_view end = ".json";
  if (const auto whole = files::replacement::name_without_part(name); !whole.empty()) name = whole;
  if (!name.ends_with(end)) return false;
  name.remove_suffix(end.size());
  const auto dot = name.rfind('.');
  return dot != name.npos && dot + 1 < name.size() && name.find_first_not_of("0123456789", dot + 1) == name.npos &&
         name.find('.') < dot;
}

/// Leaves room for one more: removes the oldest reports of the folder, and nothing else. Without std::filesystem, whose
/// iterator ends the program where there is no memory.
void prune(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), closedir);
  if (!open) return;
  const int here = dirfd(open.get());
  std::vector<std::pair<std::int64_t, std::string>> all;
  while (const dirent* entry = readdir(open.get())) {
    struct stat file {};
    if (is_report_name(entry->d_name) && fstatat(here, entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(file.st_mode))
      all.emplace_back(file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec, entry->d_name);
  }
  constexpr std::size_t stay = report_file::most_kept - 1;
  std::ranges::sort(all, std::greater<>());
  for (std::size_t i = stay; i < all.size(); ++i)
    if (const char* name = all[i].second.c_str(); files::look_at(here, name, report_mark) == files::beginning::marked)
      unlinkat(here, name, 0);
}

/// Gives the wall clock, in seconds since 1970.
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// What does not change, and takes long to find.
void identify(run_about& run) {
  if (!run.described) run.machine = base::processor_name();
  run.process_start = process_start(run.process);
  run.where = this_process_space();
}

/// What the process has besides phases.
void look_around(run_about& run) {
  run.stores = store::told();
  run.place = what_place_was_told();
  run.libraries.clear();
  for (int i = 0; i < foreign::known(); ++i)
    if (const foreign::library& l = foreign::at(i); l.limits != foreign::reach::none)
      run.libraries.push_back({l.name, l.limits == foreign::reach::process});
}

std::vector<told_phase> all_told() {
  std::vector<told_phase> phases;
  for (const auto& report : all_reports()) phases.push_back(report->tell());
  return phases;
}

}  // namespace

std::string run_reports_folder() { return base::cache_path("runs"); }

std::string run_report_json() {
  known_run* const here = known.load(std::memory_order_acquire);
  if (!here) return {};
  const std::optional<run_about> about = [&] {
    const base::locked held(here->lock);
    return here->about;
  }();
  if (!about) return {};
  run_about run = *about;
  identify(run);
  run.written = wall_seconds();
  run.seconds = run.written - run.began;
  look_around(run);
  return report_json(run, all_told());
}

report_file::report_file(std::string path, bool one_of_many, run_about run)
    : path_(std::move(path)), one_of_many_(one_of_many), run_(std::move(run)) {}

void report_file::end(int signal) noexcept {
  {
    const base::locked held(lock_);
    if (!thread_.joinable()) return;
    if (!stopping_) signal_ = signal;  // it may be read from then on
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void report_file::notify() noexcept {
  const base::locked held(lock_);
  if (stopping_) return;
  const writer before = writer_.exchange(writer::looks, std::memory_order_seq_cst);
  if (before == writer::dozes) wake_.notify_one();
  if (before != writer::is_none) return;
  // The program's signal handlers are not to run on this thread, and a limit on files is to be an error here instead of
  // the program's end.
  sigset_t every, mine;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &mine);
  try {
    thread_ = std::thread([this] { run(); });
    pthread_setname_np(thread_.native_handle(), "maslin-report");
  } catch (const std::exception&) {  // the system has no more threads: then there is no report
  }
  pthread_sigmask(SIG_SETMASK, &mine, nullptr);
  watch_signals();
}

std::chrono::duration<double> report_file::pause() const {
  // A report is at most an eighth of the run old: a short run is seen at once, and a long one costs some forty writes,
  // then one every ten seconds.
  constexpr double shortest = 0.1, longest = 10;
  const double now_at = seconds();
  const double apart = std::clamp(now_at / 8, shortest, longest);
  return std::chrono::duration<double>(wrote_at_ < 0 ? shortest : std::max(wrote_at_ + apart - now_at, shortest));
}

void report_file::run() noexcept try {
  while (!is_stopped_within(pause())) {
    const std::int64_t over = look();
    if (over >= 0) doze(over);
  }
  write(true);
} catch (const std::exception&) {  // no memory, or a folder that nobody may read: what was written stays
}

bool report_file::is_stopped_within(std::chrono::duration<double> time) {
  const base::locked held(lock_);
  return wake_.wait_for(lock_, time, [this]() MASLIN_REQUIRES(lock_) { return stopping_; });
}

void report_file::doze(std::int64_t over) {
  const base::locked held(lock_);
  writer_.store(writer::dozes, std::memory_order_seq_cst);
  if (begun_.load(std::memory_order_seq_cst) == over)
    wake_.wait(lock_, [this]() MASLIN_REQUIRES(lock_) {
      return stopping_ || writer_.load(std::memory_order_relaxed) == writer::looks;
    });
  writer_.store(writer::looks, std::memory_order_seq_cst);
}

std::int64_t report_file::look() {
  const std::int64_t ended = ended_.load(std::memory_order_acquire);
  const std::int64_t begun = begun_.load(std::memory_order_relaxed);
  std::pair<std::int64_t, std::uint64_t> seen{begun, 0};
  for (const auto& report : all_reports()) seen.second += report->changes();
  if (seen != seen_) write(false);
  seen_ = seen;
  return ended == begun ? begun : -1;
}

void report_file::write(bool ended) {
  if (wrote_at_ < 0) {
    identify(run_);
    const fs::path folder = fs::path(path_).parent_path();
    if (one_of_many_) {
      fs::create_directories(folder);
      prune(folder);
    }
  }
  wrote_at_ = seconds();
  run_.ended = ended;
  run_.signal = ended ? signal_ : 0;
  run_.written = wall_seconds();
  run_.seconds = wrote_at_;
  look_around(run_);
  const std::vector<told_phase> phases = all_told();
  if (!phases.empty() || run_.stores || run_.place)
    files::replace_file(path_, report_json(run_, phases), {.mark = report_mark, .durable = false});
}

void begin_reporting(int workers, const char* described) noexcept try {
  const char* const named = base::text_of("MASLIN_REPORT");
  std::string path = named ? named : "";
  run_about run;
  run.program = program_invocation_short_name;
  run.process = getpid();
  run.workers = workers;
  run.described = described;
  if (described) run.machine = described;
  run.began = wall_seconds();
  know(run);
  const bool one_of_many = path.empty();
  if (one_of_many) {
    const std::string folder = described || is_later_rank() ? "" : run_reports_folder();
    if (folder.empty()) return;
    path =
        fmt::format("{}/{}.{}.{}.json", folder, as_name(run.program), as_name(this_process_space().host), run.process);
  } else {
    if (path == "off") return;
    for (auto at = path.find("%p"); at != std::string::npos; at = path.find("%p", at))
      path.replace(at, 2, std::to_string(run.process));
    if (forked != 0) path += fmt::format(".{}", run.process);
    path = fs::absolute(path);  // the program may change its folder
  }
  auto* const file = new report_file(std::move(path), one_of_many, std::move(run));
  now.store(file, std::memory_order_release);
  // Also a run without phases has something to tell.
  if (store::told() || what_place_was_told()) file->notify();
} catch (const std::exception&) {  // there is no report then
}

void end_reporting() noexcept {
  delete now.exchange(nullptr, std::memory_order_acq_rel);
  if (known.load(std::memory_order_relaxed)) know(std::nullopt);
}

void leave_reporting(int signal) noexcept {
  // A phase that runs tells the file when it ends.
  report_file* const file = now.exchange(nullptr, std::memory_order_acq_rel);
  if (!file) return;
  file->end(signal);
  base::keep_reachable(file);
}

void forget_reporting_after_fork() noexcept {
  base::keep_reachable(now.exchange(nullptr, std::memory_order_relaxed));
  base::keep_reachable(known.exchange(nullptr, std::memory_order_relaxed));
  forked = getpid();
}

report_file* reporting() noexcept { return now.load(std::memory_order_acquire); }

}  // namespace maslin
