#include "trace/reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "maslin/error.hpp"
#include "trace/causes.hpp"

namespace maslin::trace {

namespace internal {

void damaged(const std::string& path, std::uint64_t offset, const std::string& what) {
  throw error(
      fmt::format("the trace '{}' is damaged at byte {}: {}; copy it again from where it was recorded, or record "
                  "it anew with MASLIN_TRACE",
                  path, offset, what));
}

unsigned char payload_reader::byte() {
  if (done()) refuse("a block ends within a value");
  return *at_++;
}

std::uint64_t payload_reader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const unsigned char b = byte();
    value |= static_cast<std::uint64_t>(b & 0x7f) << shift;
    if ((b & 0x80) == 0) return value;
  }
  refuse("a number takes more than ten bytes");
}

std::string_view payload_reader::text() {
  const std::uint64_t bytes = varint();
  if (bytes > static_cast<std::uint64_t>(end_ - at_)) refuse("a name reaches beyond its block");
  const std::string_view found(reinterpret_cast<const char*>(at_), static_cast<std::size_t>(bytes));
  at_ += bytes;
  return found;
}

void payload_reader::expect_end() const {
  if (!done()) refuse("a block is longer than what it holds");
}

}  // namespace internal

using namespace internal;

namespace {

class descriptor {
 public:
  explicit descriptor(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) throw error(fmt::format("the trace '{}' cannot be read: {}", path, std::strerror(errno)));
  }
  ~descriptor() { ::close(fd_); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

/// Where the payload of a block lies.
struct place {
  std::uint64_t offset;  // of the block's head
  block_head head;
};

std::int64_t saturated(double ns) {
  constexpr double most = 9.2e18;
  return static_cast<std::int64_t>(std::llround(std::clamp(ns, -most, most)));
}

}  // namespace

std::uint64_t summary::events() const {
  std::uint64_t sum = 0;
  for (const track& t : tracks) sum += t.events;
  return sum;
}

std::uint64_t summary::dropped() const {
  std::uint64_t sum = 0;
  for (const track& t : tracks) sum += t.dropped;
  return sum;
}

struct file::contents {
  explicit contents(const std::string& from) : path(from), in(from) { scan(); }

  void read(std::uint64_t offset, void* to, std::size_t count) const {
    auto* at = static_cast<char*>(to);
    while (count > 0) {
      const ssize_t got = pread(in.get(), at, count, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw error(fmt::format("the trace '{}' cannot be read: {}", path, std::strerror(errno)));
      if (got == 0) damaged(path, offset, "it ends here, though it was longer when it was opened");
      at += got;
      offset += static_cast<std::uint64_t>(got);
      count -= static_cast<std::size_t>(got);
    }
  }

  void read_payload(const place& where, std::vector<unsigned char>& to) const {
    to.resize(where.head.bytes);
    read(where.offset + sizeof(block_head), to.data(), to.size());
    if (checksum(where.head, to.data()) != where.head.checksum)
      damaged(path, where.offset, "the checksum of this block does not match its bytes");
  }

  void scan();
  void scan_about(payload_reader& from);
  void scan_strings(payload_reader& from);
  void scan_end(payload_reader& from, std::uint64_t blocks_before);

  /// Of ticks since the trace began.
  std::int64_t ns_of(std::int64_t ticks) const { return saturated(static_cast<double>(ticks) * ns_per_tick); }

  std::string path;
  descriptor in;
  trace::summary about;
  std::vector<std::string> names;
  std::vector<std::vector<place>> blocks;  // per track
  std::uint64_t began_ticks = 0;
  std::uint64_t began_ns = 0;
  std::uint64_t event_ticks = 0;
  double ns_per_tick = 1;
};

void file::contents::scan() {
  struct stat there {};
  if (fstat(in.get(), &there) != 0)
    throw error(fmt::format("the trace '{}' cannot be read: {}", path, std::strerror(errno)));
  if (!S_ISREG(there.st_mode)) throw error(fmt::format("'{}' is no regular file; a trace must be one", path));
  const auto size = static_cast<std::uint64_t>(there.st_size);

  std::array<unsigned char, preamble_bytes> preamble{};
  read(0, preamble.data(), static_cast<std::size_t>(std::min<std::uint64_t>(size, preamble_bytes)));
  if (!std::equal(magic.begin(), magic.end(), preamble.begin()))
    throw error(
        fmt::format("'{}' is no trace of Maslin: its first bytes differ{}; record one with MASLIN_TRACE=run.mtrace",
                    path, size == 0 ? " (the file is empty)" : ""));
  std::uint32_t version = 0;
  std::memcpy(&version, preamble.data() + magic.size(), sizeof version);
  if (size < preamble_bytes) damaged(path, size, "it ends within its first bytes");
  if (version < 1 || version > format_version)
    throw error(
        fmt::format("the trace '{}' has version {}, this program reads versions 1 to {}; read it with the Maslin that "
                    "recorded it, or record it anew",
                    path, version, format_version));
  about.version = static_cast<int>(version);

  std::vector<unsigned char> payload;
  std::uint64_t count = 0;
  bool ended = false;
  for (std::uint64_t offset = preamble_bytes; offset < size; ++count) {
    if (ended) damaged(path, offset, "bytes follow the block that ends a trace");
    place here{offset, {}};
    if (size - offset < sizeof(block_head))
      damaged(path, size, "it ends within the head of a block: its rest is missing");
    read(offset, &here.head, sizeof here.head);
    if (here.head.bytes > most_payload_bytes) damaged(path, offset, "a block claims to be larger than any is");
    if (size - offset - sizeof(block_head) < here.head.bytes)
      damaged(path, size, "it ends within a block: its rest is missing");
    offset += sizeof(block_head) + here.head.bytes;

    if ((count == 0) != (here.head.type == block_type::about))
      damaged(path, here.offset, "a trace begins with one block about itself");
    if (here.head.type == block_type::events) {
      const std::size_t track = here.head.track == foreign_track ? blocks.size() - 1 : here.head.track;
      if (track >= blocks.size() || (track + 1 == blocks.size() && here.head.track != foreign_track))
        damaged(path, here.offset,
                fmt::format("a block of worker {}, but there are {}", here.head.track, about.workers));
      blocks[track].push_back(here);
      continue;
    }
    read_payload(here, payload);
    payload_reader from(path, here.offset + sizeof(block_head), payload);
    switch (here.head.type) {
      case block_type::about:
        scan_about(from);
        break;
      case block_type::strings:
        scan_strings(from);
        break;
      case block_type::end:
        scan_end(from, count);
        ended = true;
        break;
      default:
        damaged(path, here.offset, fmt::format("a block of unknown type {}", static_cast<int>(here.head.type)));
    }
    from.expect_end();
  }
  if (!ended) damaged(path, size, "it ends without its last block: its rest is missing");
}

void file::contents::scan_about(payload_reader& from) {
  const std::uint64_t workers = from.varint();
  if (workers >= foreign_track) from.refuse(fmt::format("it claims {} workers", workers));
  about.workers = static_cast<int>(workers);
  blocks.resize(static_cast<std::size_t>(workers) + 1);
  about.only_streams = from.varint() == 0;
  from.varint();  // which clock: for people who look into the file
  began_ticks = from.varint();
  began_ns = from.varint();
  about.started_unix_ns = static_cast<std::int64_t>(from.varint());
  about.pid = static_cast<std::int64_t>(from.varint());
  if (about.version >= 2) event_ticks = from.varint();
  about.program = from.text();
  about.host = from.text();
  about.processor = from.text();
}

void file::contents::scan_strings(payload_reader& from) {
  const std::uint64_t first = from.varint();
  const std::uint64_t count = from.varint();
  if (first != names.size() + 1)
    from.refuse(fmt::format("names from number {} on, {} expected", first, names.size() + 1));
  for (std::uint64_t i = 0; i < count; ++i) names.emplace_back(from.text());
}

void file::contents::scan_end(payload_reader& from, std::uint64_t blocks_before) {
  const std::uint64_t ended_ticks = from.varint();
  const std::uint64_t ended_ns = from.varint();
  if (ended_ticks < began_ticks || ended_ns < began_ns) from.refuse("it ends before it begins");
  about.duration_ns = saturated(static_cast<double>(ended_ns - began_ns));
  if (ended_ticks > began_ticks)
    ns_per_tick = static_cast<double>(ended_ns - began_ns) / static_cast<double>(ended_ticks - began_ticks);
  about.event_ns = static_cast<double>(event_ticks) * ns_per_tick;
  if (const std::uint64_t claimed = from.varint(); claimed != blocks_before)
    from.refuse(fmt::format("{} blocks were found, {} written", blocks_before, claimed));
  for (int worker = 0; worker <= about.workers; ++worker) {
    const std::uint64_t events = from.varint();
    const std::uint64_t dropped = from.varint();
    about.tracks.push_back({worker < about.workers ? worker : -1, events, dropped});
  }
}

namespace {

constexpr std::size_t none = ~std::size_t{0};

/// How much earlier than its cause on another worker an event may be stamped (base/clock.hpp).
constexpr double most_skew_ns = 200;

/// The events of one worker, one after another.
template <class Contents>
class cursor {
 public:
  cursor(const Contents& from, std::size_t track) : from_(&from), track_(track) {
    now_.worker = from.about.tracks[track].worker;
    next();
  }

  bool done() const { return done_; }
  /// The event, but for its time.
  const event& now() const { return now_; }
  /// The event's time, since the trace began.
  std::int64_t ticks() const { return at_; }

  void next() {
    while (!reader_ || reader_->done())
      if (!open_block()) return;
    const unsigned char head = reader_->byte();
    const int kind = head & kind_mask;
    if (kind == 0 || kind >= event_kinds) reader_->refuse(fmt::format("an event of unknown kind {}", kind));
    now_.kind = static_cast<event_kind>(kind);
    ticks_ += reader_->varint();
    auto& last = memory_.of(now_.kind);
    if (head & has_id) last.id = static_cast<std::uint32_t>(reader_->varint());
    if (head & has_argument) last.argument += unzigzag(reader_->varint());
    now_.id = last.id;
    now_.argument = last.argument;
    if (now_.kind == event_kind::kernel_total || now_.kind == event_kind::held)  // recorded in ticks, like the times
      now_.argument = static_cast<std::uint64_t>(
          std::max<std::int64_t>(0, saturated(static_cast<double>(last.argument) * from_->ns_per_tick)));
    if (now_.kind == event_kind::transfer_time)
      now_.argument = static_cast<std::uint64_t>(
          std::max<std::int64_t>(0, from_->ns_of(static_cast<std::int64_t>(last.argument - from_->began_ticks))));
    at_ = std::max(at_, static_cast<std::int64_t>(ticks_ - from_->began_ticks));
    ++seen_;
  }

 private:
  bool open_block() {
    const auto& blocks = from_->blocks[track_];
    if (block_ == blocks.size()) {
      const auto& claimed = from_->about.tracks[track_];
      if (seen_ != claimed.events || dropped_ != claimed.dropped)
        throw error(
            fmt::format("the trace '{}' is damaged: worker {} has {} events and {} drops, its totals say {} and {}; "
                        "copy it again from where it was recorded, or record it anew with MASLIN_TRACE",
                        from_->path, claimed.worker, seen_, dropped_, claimed.events, claimed.dropped));
      done_ = true;
      return false;
    }
    const place& where = blocks[block_++];
    from_->read_payload(where, payload_);
    reader_.emplace(from_->path, where.offset + sizeof(block_head), payload_);
    dropped_ += reader_->varint();
    memory_ = {};
    ticks_ = 0;
    return true;
  }

  const Contents* from_;
  std::size_t track_;
  std::size_t block_ = 0;
  std::vector<unsigned char> payload_;
  std::optional<payload_reader> reader_;
  memory memory_;
  std::uint64_t ticks_ = 0;
  std::int64_t at_ = std::numeric_limits<std::int64_t>::min();
  std::uint64_t seen_ = 0;
  std::uint64_t dropped_ = 0;
  bool done_ = false;
  event now_{0, 0, event_kind::worker_start, 0, 0};
};

}  // namespace

file::file(const std::string& path) : contents_(std::make_unique<contents>(path)) {}
file::~file() = default;
file::file(file&&) noexcept = default;
file& file::operator=(file&&) noexcept = default;

const summary& file::about() const { return contents_->about; }

std::string_view file::name(std::uint32_t id) const {
  return id >= 1 && id <= contents_->names.size() ? std::string_view(contents_->names[id - 1]) : "?";
}

void file::each_event(const std::function<void(const event&)>& take) const {
  std::vector<cursor<contents>> cursors;
  cursors.reserve(contents_->blocks.size());
  for (std::size_t track = 0; track < contents_->blocks.size(); ++track) cursors.emplace_back(*contents_, track);

  // The time of a described machine is exact.
  const std::int64_t most_skew =
      contents_->event_ticks > 0 ? std::llround(std::clamp(most_skew_ns / contents_->ns_per_tick, 0.0, 1e9)) : 0;
  const auto later = [&](std::size_t a, std::size_t b) {
    const auto order = [&](std::size_t i) { return std::tuple(cursors[i].ticks(), rank(cursors[i].now().kind), i); };
    return order(a) > order(b);
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> ready(later);
  std::vector<std::size_t> held;  // their next events lack their causes
  causes happened;
  const auto sort_in = [&](std::size_t i) {
    if (cursors[i].done()) return;
    if (happened.complete(cursors[i].now()))
      ready.push(i);
    else
      held.push_back(i);
  };
  for (std::size_t i = 0; i < cursors.size(); ++i) sort_in(i);

  std::int64_t ns = std::numeric_limits<std::int64_t>::min();
  while (!ready.empty() || !held.empty()) {
    const auto first = std::min_element(held.begin(), held.end(), [&](auto a, auto b) { return later(b, a); });
    std::size_t i = 0;
    // The cause was not recorded, or is no event.
    if (first != held.end() && (ready.empty() || cursors[ready.top()].ticks() - most_skew > cursors[*first].ticks())) {
      i = *first;
      held.erase(first);
    } else {
      i = ready.top();
      ready.pop();
      if (!happened.complete(cursors[i].now())) {  // another took what it needs, since it was found ready
        held.push_back(i);
        continue;
      }
    }
    cursor<contents>& from = cursors[i];
    // It stays the earliest for a while more often than not.
    do {
      event e = from.now();
      e.ns = ns = std::max(ns, contents_->ns_of(from.ticks()));
      take(e);
      happened.add(e);
      from.next();
    } while (held.empty() && !from.done() && happened.complete(from.now()) &&
             (ready.empty() || !later(i, ready.top())));
    sort_in(i);
    for (std::size_t& other : held)
      if (happened.complete(cursors[other].now())) ready.push(std::exchange(other, none));
    std::erase(held, none);
  }
}

}  // namespace maslin::trace
