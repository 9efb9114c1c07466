#pragma once
// The thread that empties the rings into the file.

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "files/replacement.hpp"
#include "trace/digest.hpp"
#include "trace/encoder.hpp"
#include "trace/recorder.hpp"

namespace maslin::trace::internal {

/// Drains rings into one file, from its construction to `finish`. The last ring is the foreign threads'.
class drainer {
 public:
  /// Throws `error` when the file cannot be made.
  drainer(const std::string& path, std::span<ring> rings, detail_level detail);
  ~drainer();

  /// Drains what is left, completes the file and puts it in its place. No producer may record meanwhile.
  void finish() noexcept;
  /// Gives, after `finish`, what to tell the user; empty when the file stands whole.
  const std::string& problem() const { return problem_; }
  const std::string& path() const { return path_; }

  /// In a forked child: closes the file, which is the parent's, and leaves everything else alone.
  void forget_after_fork() noexcept { file_.abandon_inherited(); }

 private:
  struct track {
    ring* from;
    std::uint16_t number;
    std::uint64_t events = 0;
    std::uint64_t dropped = 0;
    std::unique_ptr<digest> thinned;  // detail `streams`
  };

  void run() noexcept;
  /// Gives how full the fullest ring was, from 0 to 1.
  double drain_once();
  void drain_track(track& t);
  void write_events(track& t);
  void prepare_digests();
  void write_bytes(const void* data, std::size_t bytes);
  void write_block(block_type type, std::uint16_t number, std::span<const unsigned char> payload);
  void write_about();
  void write_names();
  void write_end();
  void complete();

  const std::string path_;
  const detail_level detail_;
  clock_pair began_{};
  // The drainer's thread alone, once it runs.
  files::replacement file_;
  encoder encoder_;
  std::vector<track> tracks_;
  std::uint32_t names_written_ = 0;
  std::uint64_t blocks_ = 0;
  base::mutex lock_;
  base::condition wake_;
  bool stopping_ MASLIN_GUARDED_BY(lock_) = false;
  // Set by the thread before it ends, read after it was joined.
  std::string problem_;
  std::thread thread_;
};

}  // namespace maslin::trace::internal
