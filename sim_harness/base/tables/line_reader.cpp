#include "sim_harness/base/tables/line_reader.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 18;

// Far more than the columns of any trace take; it keeps the buffer small on files without lines.
constexpr std::size_t kMaxLineBytes = std::size_t{1} << 16;

}  // namespace

LineReader::LineReader(std::filesystem::path path) : path_(std::move(path)) {
  const auto refuse = [&](std::string_view reason) {
    throw WorkloadError(fmt::format("{}: cannot be read: {}", path_.string(), reason));
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) refuse("it is a directory, expected a file");
  errno = 0;
  file_ = ::gzopen(path_.c_str(), "rbe");
  if (file_ == nullptr && path_ == "-") refuse("standard input is no file, expected a file");
  if (file_ == nullptr) refuse(errno != 0 ? std::strerror(errno) : "out of memory");
  ::gzbuffer(file_, kReadBytes);
}

LineReader::~LineReader() {
  if (file_ != nullptr) ::gzclose_r(file_);
}

void LineReader::fail(std::string_view what) const {
  throw WorkloadError(fmt::format("{}:{}: {}", path_.string(), line_number_, what));
}

void LineReader::fill() {
  current_stop_token().check();
  buffer_.erase(0, std::exchange(begin_, 0));
  const std::size_t kept = buffer_.size();
  buffer_.resize(kept + kReadBytes);
  const int got = ::gzread(file_, buffer_.data() + kept, kReadBytes);
  buffer_.resize(kept + static_cast<std::size_t>(std::max(got, 0)));
  if (line_number_ == 0 && kept == 0) {
    if (const std::string_view kind = other_kind_of_file(buffer_); !kind.empty()) {
      throw WorkloadError(fmt::format("{}: the file is {}", path_.string(), kind));
    }
    begin_ = buffer_.size() - without_byte_order_mark(buffer_).size();
  }
  unpacked_bytes_ += static_cast<std::size_t>(std::max(got, 0));
  const auto packed_bytes = static_cast<std::size_t>(std::max<z_off_t>(::gzoffset(file_), 0));
  if (::gzdirect(file_) == 0 && unpacks_to_too_much(packed_bytes, unpacked_bytes_)) {
    ++line_number_;
    fail(kUnpacksToTooMuch);
  }
  int code = Z_OK;
  const char* message = ::gzerror(file_, &code);
  at_end_ = got <= 0 || ::gzeof(file_) != 0;
  if (code == Z_OK || code == Z_STREAM_END) return;
  if (code == Z_ERRNO) {
    throw WorkloadError(fmt::format("{}: cannot be read: {}", path_.string(), message));
  }
  ++line_number_;
  fail(code == Z_BUF_ERROR ? "the gzip data is truncated" : "the gzip data is corrupt");
}

bool LineReader::next_bytes(std::string_view& line) {
  std::size_t end = buffer_.find('\n', begin_);
  while (end == std::string::npos && !at_end_ && buffer_.size() - begin_ <= kMaxLineBytes) {
    const std::size_t searched = buffer_.size() - begin_;
    fill();
    end = buffer_.find('\n', begin_ + searched);
  }
  if (begin_ == buffer_.size()) return false;
  ++line_number_;
  line = std::string_view(buffer_).substr(begin_, std::min(end, buffer_.size()) - begin_);
  begin_ = std::min(end, buffer_.size() - 1) + 1;
  if (line.size() > kMaxLineBytes) fail("the line is longer than 65536 bytes, expected a CSV row");
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

bool LineReader::next(std::string_view& line) {
  if (!next_bytes(line)) return false;
  if (const std::size_t at = find_non_text(line); at != std::string_view::npos) {
    fail(non_text_fault(line[at]));
  }
  return true;
}

}  // namespace cospot
