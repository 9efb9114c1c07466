#include "exec/node/segment.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "base/settings.hpp"
#include "maslin/error.hpp"
#include "maslin/run_report.hpp"

namespace maslin::node {

namespace {

/// "maslin" and the version of what lies in the table; another number for every change of `slot`, `shared_cpu` or
/// `header`.
constexpr std::uint64_t layout_1 = 0x6d61736c696e0001;
constexpr int slots = 512;
constexpr int most_cpus = 1024;
/// A table is one once it bears these seals: it is filled, and nobody's mapping can be pulled away from under it.
constexpr int finished = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr std::string_view prefix = "/memfd:maslin-";
constexpr std::string_view suffix = " (deleted)";

std::string failure() { return std::strerror(errno); }

class descriptor {
 public:
  explicit descriptor(int fd) : fd_(fd) {}
  ~descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// Everything of a process that is a member; a forked child closes it.
int open_segment = -1;

/// Holds the job's name while somebody joins, so that one process makes the table. It is the name of a socket, which
/// the kernel frees with its holder. Anybody can bind it, so its holder is asked who it is: nobody waits for another
/// user.
class joining {
 public:
  explicit joining(const std::string& job) : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (socket_.get() < 0) throw error("MASLIN_NODE=" + job + ": no socket to be had: " + failure());
    address_.sun_family = AF_UNIX;
    const std::string name = "maslin-" + std::to_string(geteuid()) + "-" + job;
    std::memcpy(address_.sun_path + 1, name.data(), name.size());
    length_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    constexpr auto pause = std::chrono::microseconds(200);
    constexpr auto between_questions = std::chrono::milliseconds(20);
    constexpr auto longest_silence = std::chrono::seconds(1);
    constexpr auto longest = std::chrono::seconds(10);
    const auto began = clock::now();
    auto asked = began - between_questions, answered = began;
    for (; bind(socket_.get(), address(), length_) != 0; std::this_thread::sleep_for(pause)) {
      if (errno != EADDRINUSE) throw error("MASLIN_NODE=" + job + ": the name cannot be bound: " + failure());
      const auto now = clock::now();
      if (now - asked < between_questions) continue;
      asked = now;
      const holder who = ask();
      if (who == holder::ours) answered = now;
      if (who == holder::a_stranger || now - answered > longest_silence) return;
      if (now - began > longest)
        throw error("MASLIN_NODE=" + job +
                    ": another process has been joining for 10 s; is one of the job's processes stopped?");
    }
    alone_ = listen(socket_.get(), SOMAXCONN) == 0;
  }

  /// Does no other process of this user join meanwhile?
  bool alone() const { return alone_; }

 private:
  using clock = std::chrono::steady_clock;
  enum class holder : std::uint8_t { ours, a_stranger, says_nothing };

  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&address_); }

  holder ask() const {
    const descriptor question(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (connect(question.get(), address(), length_) != 0) return holder::says_nothing;  // does not listen, or is gone
    ucred who{};
    socklen_t bytes = sizeof who;
    if (getsockopt(question.get(), SOL_SOCKET, SO_PEERCRED, &who, &bytes) != 0) return holder::says_nothing;
    return who.uid == geteuid() ? holder::ours : holder::a_stranger;
  }

  descriptor socket_;
  sockaddr_un address_{};
  socklen_t length_ = 0;
  bool alone_ = false;
};

/// Gives the job of an open file that is one's table; nothing for other files.
std::optional<std::string> job_of(const char* link) {
  char target[256];
  const ssize_t length = readlink(link, target, sizeof target);
  if (length <= 0) return std::nullopt;
  std::string_view name(target, static_cast<std::size_t>(length));
  if (name.substr(0, prefix.size()) != prefix) return std::nullopt;
  name.remove_prefix(prefix.size());
  if (name.size() >= suffix.size() && name.substr(name.size() - suffix.size()) == suffix)
    name.remove_suffix(suffix.size());
  return std::string(name);
}

/// The numbers of this user's processes, the nearest to this one first: those of a job are started together.
std::vector<int> own_processes() {
  std::vector<int> all;
  DIR* proc = opendir("/proc");
  if (!proc) return all;
  while (const dirent* entry = readdir(proc)) {
    const int process = std::atoi(entry->d_name);
    if (process <= 0) continue;
    struct stat of;
    if (stat((std::string("/proc/") + entry->d_name).c_str(), &of) == 0 && of.st_uid == geteuid())
      all.push_back(process);
  }
  closedir(proc);
  const int me = getpid();
  std::sort(all.begin(), all.end(), [me](int a, int b) { return std::abs(a - me) < std::abs(b - me); });
  return all;
}

/// Calls `visit(path, job)` for the tables that this user's processes have open, until it gives true.
template <class Visit>
void visit_tables(Visit&& visit) {
  for (const int process : own_processes()) {
    const std::string folder = "/proc/" + std::to_string(process) + "/fd";
    DIR* open_files = opendir(folder.c_str());
    if (!open_files) continue;  // it has just ended, or is another's
    bool done = false;
    while (const dirent* entry = done ? nullptr : readdir(open_files)) {
      const std::string path = folder + "/" + entry->d_name;
      if (const auto job = job_of(path.c_str())) done = visit(path, *job);
    }
    closedir(open_files);
    if (done) return;
  }
}

/// Is it this user's, and finished? What others made may come by a program that runs under this user's name.
bool is_table(int fd) {
  struct stat of;
  const int seals = fcntl(fd, F_GET_SEALS);
  return seals >= 0 && (seals & finished) == finished && fstat(fd, &of) == 0 && of.st_uid == geteuid();
}

/// Gives the job's table that some process has open, opened; -1 when none has. One that is being made is none yet.
int open_job(const std::string& job) {
  int fd = -1;
  visit_tables([&](const std::string& path, const std::string& found) {
    if (found != job) return false;
    descriptor table(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (is_table(table.get())) fd = table.release();
    return fd >= 0;
  });
  return fd;
}

std::size_t bytes_for(int cpus) {
  return sizeof(slot) + slots * sizeof(slot) + static_cast<std::size_t>(cpus) * sizeof(shared_cpu);
}

/// Makes an empty table.
int create(const std::string& job) {
  descriptor made(memfd_create(("maslin-" + job).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const int cpus = std::clamp(static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)), 1, most_cpus);
  if (made.get() < 0 || ftruncate(made.get(), static_cast<off_t>(bytes_for(cpus))) != 0)
    throw error("MASLIN_NODE=" + job + ": no shared memory to be had: " + failure());
  void* memory = mmap(nullptr, sizeof(slot), PROT_READ | PROT_WRITE, MAP_SHARED, made.get(), 0);
  if (memory == MAP_FAILED) throw error("MASLIN_NODE=" + job + ": the table cannot be mapped: " + failure());
  auto* const h = new (memory) header;
  h->slots = slots;
  h->cpus = static_cast<std::uint32_t>(cpus);
  h->layout.store(layout_1, std::memory_order_release);
  munmap(memory, sizeof(slot));
  if (fcntl(made.get(), F_ADD_SEALS, finished) != 0)  // last: from now on others find it
    throw error("MASLIN_NODE=" + job + ": the table cannot be sealed: " + failure());
  return made.release();
}

struct flock lock_of(int slot, short type) {
  struct flock l {};
  l.l_type = type;
  l.l_whence = SEEK_SET;
  l.l_start = slot;
  l.l_len = 1;
  return l;
}

/// Gives up to `most` bytes of a file of /proc; less where the process ends meanwhile.
std::string beginning_of(const std::string& path, std::size_t most) {
  const descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(most, '\0');
  std::size_t got = 0;
  while (file.get() >= 0 && got < most) {
    const ssize_t n = read(file.get(), text.data() + got, most - got);
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  text.resize(got);
  return text;
}

void put_name(slot& s) {
  char name[16] = {};
  const std::string text = beginning_of("/proc/self/comm", sizeof name - 1);
  std::copy_n(text.begin(), std::min(text.size(), text.find('\n')), name);
  for (int i = 0; i < 2; ++i) {
    std::uint64_t word;
    std::memcpy(&word, name + 8 * i, 8);
    s.name[i].store(word, std::memory_order_relaxed);
  }
}

}  // namespace

void check_job_name(const std::string& job) {
  constexpr std::size_t longest = 80;  // of a socket's name
  constexpr std::string_view others = "-_.:@+";
  const bool good = !job.empty() && job.size() <= longest && std::all_of(job.begin(), job.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || others.find(c) != others.npos;
  });
  if (!good) base::fail("MASLIN_NODE", job);
}

std::unique_ptr<segment> segment::map(int fd, const std::string& job) {
  descriptor file(fd);
  struct stat of;
  if (fstat(fd, &of) != 0) throw error("MASLIN_NODE=" + job + ": the table cannot be looked at: " + failure());
  const auto bytes = static_cast<std::size_t>(of.st_size);
  void* const memory =
      bytes < sizeof(slot) ? MAP_FAILED : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED && bytes >= sizeof(slot))
    throw error("MASLIN_NODE=" + job + ": the table cannot be mapped: " + failure());
  auto* const h = static_cast<header*>(memory);
  const bool known = memory != MAP_FAILED && h->layout.load(std::memory_order_acquire) == layout_1 &&
                     h->slots == slots && h->cpus >= 1 && h->cpus <= most_cpus &&
                     bytes == bytes_for(static_cast<int>(h->cpus));
  if (!known) {
    if (memory != MAP_FAILED) munmap(memory, bytes);
    throw error("MASLIN_NODE=" + job +
                ": another version of Maslin made the table of this job; use one version in all its processes, or "
                "another name");
  }
  // A forked child is no member, and must not keep the table alive.
  madvise(memory, bytes, MADV_DONTFORK);
  std::unique_ptr<segment> made(new segment);
  made->memory_ = memory;
  made->bytes_ = bytes;
  made->fd_ = file.release();
  made->table_.slots = reinterpret_cast<slot*>(static_cast<char*>(memory) + sizeof(slot));
  made->table_.slot_count = slots;
  made->table_.slots_used = &h->slots_used;
  made->table_.cpus = reinterpret_cast<shared_cpu*>(made->table_.slots + slots);
  made->table_.cpu_count = static_cast<int>(h->cpus);
  return made;
}

std::unique_ptr<segment> segment::join(const std::string& job) {
  check_job_name(job);
  const joining here(job);
  int fd = open_job(job);
  if (fd < 0) {
    if (!here.alone())
      std::fprintf(
          stderr,
          "maslin: MASLIN_NODE=%s: another user holds the name by which its processes find each other when they "
          "start; this one goes on, but does not share CPUs with those that start at the same moment; another "
          "name for the job helps\n",
          job.c_str());
    fd = create(job);
  }
  std::unique_ptr<segment> joined = map(fd, job);
  joined->take_slot();
  if (joined->me_ == nobody)
    throw error(
        "MASLIN_NODE=" + job + ": " + std::to_string(slots) +
        " processes share this node already, which is as many as a job can have here; use another name for some");
  open_segment = joined->fd_;
  return joined;
}

std::unique_ptr<segment> segment::find(const std::string& job) {
  check_job_name(job);
  const int fd = open_job(job);
  return fd < 0 ? nullptr : map(fd, job);
}

std::vector<std::string> segment::jobs() {
  std::set<std::string> all;
  visit_tables([&](const std::string&, const std::string& job) {
    all.insert(job);
    return false;
  });
  return {all.begin(), all.end()};
}

segment::~segment() {
  if (me_ != nobody) {
    free(me_);
    open_segment = -1;
  }
  munmap(memory_, bytes_);
  close(fd_);
}

void segment::take_slot() {
  for (int s = 0; s < slots && me_ == nobody; ++s) {
    slot& it = table_.at(s);
    if (it.process.load(std::memory_order_acquire) != 0) continue;
    struct flock wish = lock_of(s, F_WRLCK);
    if (fcntl(fd_, F_OFD_SETLK, &wish) != 0) continue;      // somebody clears it away, or takes it
    if (it.process.load(std::memory_order_acquire) != 0) {  // somebody has taken it meanwhile, and died
      unlock(s);
      continue;
    }
    me_ = s;
    auto& used = static_cast<header*>(memory_)->slots_used;
    const auto end = static_cast<std::uint32_t>(s) + 1;
    std::uint32_t before = used.load(std::memory_order_relaxed);
    while (before < end && !used.compare_exchange_weak(before, end, std::memory_order_seq_cst)) {
    }
    it.affinity.store(0, std::memory_order_relaxed);
    it.bell.store(0, std::memory_order_relaxed);
    it.taken.store(0, std::memory_order_relaxed);
    it.hungry.store(0, std::memory_order_relaxed);
    it.working.store(1, std::memory_order_relaxed);
    for (auto* counter : {&it.lent, &it.borrowed, &it.regained}) counter->store(0, std::memory_order_relaxed);
    put_name(it);
    const auto process = static_cast<std::uint32_t>(getpid());
    it.began.store(process_start(process), std::memory_order_relaxed);
    it.process.store(process, std::memory_order_release);
  }
}

bool segment::alive(int s) const {
  const slot& it = table_.at(s);
  const std::uint32_t process = it.process.load(std::memory_order_acquire);
  if (process == 0) return false;
  struct flock seen = lock_of(s, F_WRLCK);
  if (s == me_ || fcntl(fd_, F_OFD_GETLK, &seen) != 0 || seen.l_type != F_UNLCK) return true;
  return is_there(it, process);
}

/// Its locks are gone: it is dead, runs another program now, or closed all its files. What runs another program has
/// lost the mapping, too.
bool segment::is_there(const slot& it, std::uint32_t process) const {
  if (process_start(process) != it.began.load(std::memory_order_relaxed)) return false;
  struct stat of;
  if (fstat(fd_, &of) != 0) return true;
  const std::string inode = fmt::format(" {} ", of.st_ino);
  std::ifstream mappings(fmt::format("/proc/{}/maps", process));
  if (!mappings) return true;
  for (std::string line; std::getline(mappings, line);)
    if (line.find(inode) != line.npos && line.find(prefix) != line.npos) return true;
  return mappings.bad();
}

bool segment::take_if_dead(int s) {
  const slot& it = table_.at(s);
  if (it.process.load(std::memory_order_acquire) == 0) return false;
  struct flock wish = lock_of(s, F_WRLCK);
  if (fcntl(fd_, F_OFD_SETLK, &wish) != 0) return false;
  const std::uint32_t process = it.process.load(std::memory_order_acquire);
  bool is_dead = false;
  try {
    is_dead = process != 0 && !is_there(it, process);
  } catch (const std::bad_alloc&) {  // another time
  }
  if (!is_dead) unlock(s);
  return is_dead;
}

void segment::unlock(int s) {
  struct flock gone = lock_of(s, F_UNLCK);
  fcntl(fd_, F_OFD_SETLK, &gone);
}

void segment::free(int s) {
  table_.at(s).process.store(0, std::memory_order_release);
  unlock(s);
}

void segment::forget_after_fork() noexcept {
  if (open_segment >= 0) close(std::exchange(open_segment, -1));
}

}  // namespace maslin::node
