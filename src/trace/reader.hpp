#pragma once
// Reading bytes that may be anything: every take checks first.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/format.hpp"

namespace maslin::trace::internal {

/// Throws `error` that says what is wrong with the trace at that byte of the file, and what to do.
[[noreturn]] void damaged(const std::string& path, std::uint64_t offset, const std::string& what);

/// Takes values from the payload of a block whose checksum was right; throws `damaged` where they end too soon.
class payload_reader {
 public:
  payload_reader(const std::string& path, std::uint64_t offset, const std::vector<unsigned char>& payload)
      : path_(&path), offset_(offset), at_(payload.data()), begin_(at_), end_(at_ + payload.size()) {}

  bool done() const { return at_ == end_; }
  /// Bytes of the file before what is taken next.
  std::uint64_t offset() const { return offset_ + static_cast<std::uint64_t>(at_ - begin_); }

  unsigned char byte();
  std::uint64_t varint();
  std::string_view text();
  /// Throws unless everything was taken.
  void expect_end() const;
  [[noreturn]] void refuse(const std::string& what) const { damaged(*path_, offset(), what); }

 private:
  const std::string* path_;
  std::uint64_t offset_;
  const unsigned char* at_;
  const unsigned char* begin_;
  const unsigned char* end_;
};

}  // namespace maslin::trace::internal
