#include "trace/drainer.hpp"

#include <errno.h>
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <system_error>

#include "base/processor.hpp"
#include "maslin/error.hpp"
#include "trace/names.hpp"

namespace maslin::trace::internal {

namespace {

using std::chrono::microseconds;
/// Between two rounds the drainer sleeps so long that the fullest ring is an eighth full by then, within these bounds:
/// often enough to lose nothing even where it must wait long for a core, seldom enough to take none from the workers.
constexpr microseconds shortest_sleep{500};
constexpr microseconds longest_sleep{20'000};
constexpr double aimed_fill = 0.125;

constexpr std::uint64_t one_millisecond_ns = 1'000'000;

void put(std::vector<unsigned char>& to, std::uint64_t value) {
  unsigned char bytes[most_varint_bytes];
  to.insert(to.end(), bytes, put_varint(bytes, value));
}

void put(std::vector<unsigned char>& to, std::string_view text) {
  put(to, text.size());
  to.insert(to.end(), text.begin(), text.end());
}

}  // namespace

drainer::drainer(const std::string& path, std::span<ring> rings, detail_level detail) : path_(path), detail_(detail) {
  // Whoever sets MASLIN_TRACE sets it for all programs that he runs: what was no trace before is none of theirs.
  const std::string_view mark(reinterpret_cast<const char*>(magic.data()), magic.size());
  if (!file_.open(path, {.mark = mark, .kind = "a trace", .streams = files::terms::stream::written}))
    throw error(
        fmt::format("the trace cannot be written to '{}': {}; give the path of a new file or of an old trace, in a "
                    "folder that exists and is writable, e.g. MASLIN_TRACE=run.mtrace",
                    path, file_.problem()));
  for (std::size_t i = 0; i < rings.size(); ++i) {
    const bool foreign = i + 1 == rings.size();
    tracks_.push_back({&rings[i], foreign ? foreign_track : static_cast<std::uint16_t>(i), 0, 0, nullptr});
  }
  began_ = read_clocks();
  write_about();

  // The program's signal handlers are not to run on this thread, and a reader that closed its pipe is to be an error
  // here instead of the program's end.
  sigset_t every, before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& e) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw error(
        fmt::format("the trace's thread cannot be made: {}; raise the limit on processes (ulimit -u) or trace "
                    "with fewer workers",
                    e.what()));
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread_.native_handle(), "maslin-trace");
}

drainer::~drainer() { finish(); }

void drainer::finish() noexcept {
  if (!thread_.joinable()) return;
  {
    const base::locked held(lock_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void drainer::run() noexcept {
  try {
    auto pause = longest_sleep / 2;
    for (bool stop = false; !stop;) {
      {
        const base::locked held(lock_);
        stop = wake_.wait_for(lock_, pause, [this]() MASLIN_REQUIRES(lock_) { return stopping_; });
      }
      const double fill = drain_once();
      if (file_.error() != 0) recorded_kinds.store(0, std::memory_order_relaxed);  // nothing more can be kept
      const double grow = fill > 0 ? std::min(aimed_fill / fill, 2.0) : 2.0;
      const auto next = microseconds(static_cast<std::int64_t>(static_cast<double>(pause.count()) * grow));
      pause = std::clamp(next, shortest_sleep, longest_sleep);
    }
    complete();
  } catch (const std::exception& e) {  // memory ran out
    recorded_kinds.store(0, std::memory_order_relaxed);
    file_.abandon();
    problem_ = "the trace was given up for lack of memory; the program's results are not affected";
  }
}

void drainer::complete() {
  for (track& t : tracks_) {
    if (!t.thinned) continue;
    encoder_.begin(0);
    t.thinned->finish(encoder_);
    if (encoder_.events() > 0) write_events(t);
  }
  write_names();
  write_end();
  std::uint64_t dropped = 0;
  for (const track& t : tracks_) dropped += t.dropped;
  if (!file_.commit()) {
    problem_ = fmt::format(
        "the trace could not be written to '{}': {} after {} bytes; {}the program's results are not "
        "affected; make room or let MASLIN_TRACE name another place, or set MASLIN_TRACE_DETAIL=streams for a small "
        "trace",
        path_, file_.problem(), file_.bytes(), file_.is_stream() ? "" : "nothing of it was kept, ");
  } else if (dropped > 0) {
    problem_ = fmt::format(
        "the trace '{}' lacks {} events: they came faster than the recorder, which shares the machine with the "
        "program, could write them; MASLIN_TRACE_FULL=wait lets the program wait for it, and a free CPU or "
        "MASLIN_TRACE_DETAIL=streams helps",
        path_, dropped);
  }
}

double drainer::drain_once() {
  if (detail_ == detail_level::streams && !tracks_.front().thinned) prepare_digests();
  double fullest = 0;
  for (track& t : tracks_) {
    const std::uint64_t before = t.from->popped();
    drain_track(t);
    const auto taken = static_cast<double>(t.from->popped() - before);
    fullest = std::max(fullest, taken / static_cast<double>(t.from->capacity()));
  }
  return fullest;
}

void drainer::prepare_digests() {
  const clock_pair now = read_clocks();
  const double per_ns =
      now.ns > began_.ns ? static_cast<double>(now.ticks - began_.ticks) / static_cast<double>(now.ns - began_.ns) : 1;
  for (track& t : tracks_)
    t.thinned = std::make_unique<digest>(static_cast<std::uint64_t>(per_ns * static_cast<double>(one_millisecond_ns)));
}

void drainer::drain_track(track& t) {
  // The ring is asked for its drops first: those that are seen here happened before the events that pop hands over now.
  const std::uint64_t dropped = t.from->dropped() - t.dropped;
  encoder_.begin(dropped);
  t.dropped += dropped;
  t.from->pop([&](const cell& c) {
    if (t.thinned)
      t.thinned->add(c, encoder_);
    else
      encoder_.add(c);
    if (encoder_.full()) {
      write_events(t);
      encoder_.begin(0);
    }
  });
  t.from->populate_ahead();
  if (encoder_.events() > 0 || dropped > 0) write_events(t);
}

void drainer::write_events(track& t) {
  t.events += encoder_.events();
  write_names();  // after the events were taken, so that the file names whatever they speak of before they do
  write_block(block_type::events, t.number, encoder_.payload());
}

void drainer::write_bytes(const void* data, std::size_t bytes) { file_.write({static_cast<const char*>(data), bytes}); }

void drainer::write_block(block_type type, std::uint16_t number, std::span<const unsigned char> payload) {
  block_head head{static_cast<std::uint32_t>(payload.size()), number, type, 0, 0};
  head.checksum = checksum(head, payload.data());
  write_bytes(&head, sizeof head);
  write_bytes(payload.data(), payload.size());
  ++blocks_;
}

void drainer::write_about() {
  write_bytes(magic.data(), magic.size());
  write_bytes(&format_version, sizeof format_version);
  timespec wall{};
  clock_gettime(CLOCK_REALTIME, &wall);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::vector<unsigned char> payload;
  put(payload, tracks_.size() - 1);
  put(payload, static_cast<std::uint64_t>(detail_));
  put(payload, use_counter ? 1 : 0);
  put(payload, began_.ticks);
  put(payload, began_.ns);
  put(payload, static_cast<std::uint64_t>(wall.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(wall.tv_nsec));
  put(payload, static_cast<std::uint64_t>(getpid()));
  put(payload, ticks_per_event());
  put(payload, std::string_view(program_invocation_short_name).substr(0, most_name_bytes));
  put(payload, std::string_view(host));
  put(payload, std::string_view(base::processor_name()).substr(0, most_name_bytes));
  write_block(block_type::about, 0, payload);
}

void drainer::write_names() {
  const std::uint32_t count = name_count();
  while (names_written_ < count) {
    const std::uint32_t upto = std::min(count, names_written_ + 512);  // 512 × 4 KiB stay below the bound of a block
    std::vector<unsigned char> payload;
    put(payload, names_written_ + 1);
    put(payload, upto - names_written_);
    each_name(names_written_, upto,
              [&](const std::string& name) { put(payload, std::string_view(name).substr(0, most_name_bytes)); });
    write_block(block_type::strings, 0, payload);
    names_written_ = upto;
  }
}

void drainer::write_end() {
  const clock_pair ended = read_clocks();
  std::vector<unsigned char> payload;
  put(payload, ended.ticks);
  put(payload, ended.ns);
  put(payload, blocks_);
  for (const track& t : tracks_) {
    put(payload, t.events);
    put(payload, t.dropped);
  }
  write_block(block_type::end, 0, payload);
}

}  // namespace maslin::trace::internal
