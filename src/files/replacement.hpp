#pragma once
// The one way in which this project writes files: whole or not at all, and nothing is replaced but regular files.

#include <cstdint>
#include <string>
#include <string_view>

namespace maslin::files {

/// What may be done with what stands under the path already. Folders, devices, FIFOs and sockets are never replaced.
struct terms {
  enum class stream : std::uint8_t { refused, written, awaited };

  /// How such a file begins. A file that begins otherwise is somebody else's and stays; an empty one is replaced. If no
  /// mark is given, any regular file is replaced. At most 64 bytes that outlive the writing.
  std::string_view mark = {};
  const char* kind = "such a file";  ///< what a marked file is, in messages: "a trace"
  /// May a device (but for disks), a FIFO or an open descriptor (/dev/stdout) be written directly? If `written`, a FIFO
  /// must have its reader already; if `awaited`, opening waits for one.
  stream streams = stream::refused;
  /// Is the file brought to the disk before it takes its name? For what cannot be made again at once.
  bool durable = true;
};

/// A file that is written from front to back and takes its name when it is whole. Until then it has no name at all, so
/// that nothing is left of it however the process ends; where the file system has no unnamed files (O_TMPFILE), and for
/// the moment in which an older file is replaced, it is `.NAME.XXXXXXXX.part` beside its place. A symbolic link is
/// followed: it stays and its target is replaced. A replaced file keeps its mode, and its owner where that is allowed;
/// one that is write-protected is not replaced.
class replacement {
 public:
  /// Gives the name of the file that a kill left half-written under this name; empty for other names.
  static std::string_view name_without_part(std::string_view name);

  replacement() = default;
  ~replacement() { abandon(); }
  replacement(const replacement&) = delete;
  replacement& operator=(const replacement&) = delete;

  // Each gives whether all went well so far; after a failure the others do nothing, and nothing is left.
  /// Never waits, but for `terms::stream::awaited`.
  bool open(const std::string& path, const terms& how);
  /// Writes to an open file of this process where that stands.
  bool open(int descriptor);
  /// A limit on file sizes is an error here, and no signal.
  bool write(std::string_view bytes) noexcept;
  /// Puts the file in its place, if what stands there may still be replaced.
  bool commit() noexcept;

  void abandon() noexcept;
  /// In a forked child: the file is its parent's.
  void abandon_inherited() noexcept;

  /// The system's number of the first failure; 0 when there was none.
  int error() const { return error_; }
  /// What was found and, where that is not clear, what was expected: "No space left on device", "it is a folder".
  std::string problem() const;
  std::uint64_t bytes() const { return bytes_; }
  /// Is it a stream, of which a part may have been written before a failure?
  bool is_stream() const { return in_place_; }

 private:
  enum class found : std::uint8_t { nothing_wrong, folder, disk, socket, device, fifo, unread_fifo, link, others };

  bool fail(int error, found what = found::nothing_wrong) noexcept;
  void begin();
  bool open_stream(const std::string& path, found what);
  bool open_file();
  bool may_replace() noexcept;
  bool inherit_mode() noexcept;
  bool take_name() noexcept;
  bool bring_folder_to_disk() noexcept;
  bool flush() noexcept;
  void new_partial_name() noexcept;

  terms how_;
  std::string target_;   ///< the path behind all links
  std::string folder_;   ///< of the target
  std::string partial_;  ///< the name it has before
  std::string buffer_;
  std::uint64_t bytes_ = 0;
  int fd_ = -1;
  int error_ = 0;
  found found_ = found::nothing_wrong;
  bool in_place_ = false;
  bool named_ = false;  ///< `partial_` is there
  bool replaces_ = false;
};

/// Replaces a file by this text. Gives an empty text, or what went wrong as `replacement::problem` says it.
std::string replace_file(const std::string& path, std::string_view text, const terms& how);

}  // namespace maslin::files
