#include "sim_harness/base/files/gzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {
namespace {

constexpr int kGzipWindowBits = 15 + 16;  // the largest window; + 16 asks zlib for gzip framing
// More than ten times the whole zone that the published samples are drawn from. It stops a small
// file that unpacks without end from taking all memory.
constexpr std::size_t kMaxUnpackedBytes = std::size_t{1} << 33;

/// The beginning that must look like text before all of a file is unpacked.
constexpr std::size_t kJudgedBytes = std::size_t{1} << 16;

/// Given to zlib, or taken from it, in one call: less than the 32 bits that it counts in, and
/// little enough that an interrupt need not wait for a large file.
constexpr std::size_t kPieceBytes = std::size_t{1} << 22;

/// A deflating z_stream that frees itself.
class Deflater {
 public:
  Deflater() {
    constexpr int kMemoryLevel = 8;  // zlib's own default
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&stream_); }

  [[nodiscard]] z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

/// An inflating z_stream that frees itself.
class Inflater {
 public:
  explicit Inflater(std::string_view bytes) : rest_(bytes) {
    if (inflateInit2(&stream_, kGzipWindowBits) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  struct Piece {
    int code;          ///< zlib's
    bool leaves_room;  ///< zlib had nothing more to give for now
  };

  /// Appends the next piece to `text`, of which `size` is used.
  Piece unpack_piece(std::string& text, std::size_t& size) {
    stop_.check();
    const uInt offered = static_cast<uInt>(std::min(rest_.size(), kPieceBytes));
    const uInt room = static_cast<uInt>(std::min(text.size() - size, kPieceBytes));
    // zlib reads through next_in only; its type lacks const unless ZLIB_CONST is set.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    stream_.avail_in = offered;
    stream_.next_out = reinterpret_cast<Bytef*>(text.data() + size);
    stream_.avail_out = room;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    rest_.remove_prefix(offered - stream_.avail_in);
    size += room - stream_.avail_out;
    return {code, stream_.avail_out > 0};
  }

  /// Starts the next member of a file of several; false when there is nothing more.
  bool start_next_member() {
    if (rest_.empty()) return false;
    inflateReset(&stream_);
    return true;
  }
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

 private:
  z_stream stream_{};
  std::string_view rest_;
  StopToken stop_ = current_stop_token();
};

/// The fault of a file that begins so; empty: none. Cuts `text` at the fault.
std::string fault_of_beginning(std::string& text, std::size_t& size) {
  const std::string_view begin = std::string_view(text).substr(0, std::min(size, kJudgedBytes));
  if (const std::string_view kind = other_kind_of_file(begin); !kind.empty()) {
    size = 0;
    return fmt::format("unpacked, the file is {}", kind);
  }
  constexpr std::size_t kLongestCharacter = 4;  // may be cut at the end
  const std::size_t at = find_non_text(begin);
  if (at != std::string_view::npos && at + kLongestCharacter <= begin.size()) {
    size = at;
    return non_text_fault(begin[at]);
  }
  const bool is_json = without_byte_order_mark(begin).find_first_of("{[") == 0;
  if (is_json || begin.find('\n') != std::string_view::npos) return {};
  return fmt::format("the line is longer than {} bytes, expected a CSV row", kJudgedBytes);
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Unpacked unpack_gzip(std::string_view bytes) {
  Unpacked result;
  Inflater inflater(bytes);
  std::size_t size = 0;
  bool is_judged = false;
  result.text.resize(4 * bytes.size() + 1024);
  for (;;) {
    if (size == result.text.size()) result.text.resize(2 * size);
    const auto [code, leaves_room] = inflater.unpack_piece(result.text, size);
    if (code == Z_STREAM_END) {
      if (!inflater.start_next_member()) break;
    } else if (code == Z_BUF_ERROR || (code == Z_OK && inflater.is_at_end() && leaves_room)) {
      result.fault = "the gzip data is truncated";
      break;
    } else if (code != Z_OK) {
      result.fault = "the gzip data is corrupt";
      break;
    }
    if (!is_judged && size >= kJudgedBytes) {
      is_judged = true;
      result.fault = fault_of_beginning(result.text, size);
    }
    if (size > kMaxUnpackedBytes) result.fault = "the gzip data unpacks to more than 8 GiB";
    if (unpacks_to_too_much(bytes.size(), size)) result.fault = kUnpacksToTooMuch;
    if (!result.fault.empty()) break;
  }
  result.text.resize(size);
  return result;
}

std::string unpacked_text(std::string bytes, std::string_view file) {
  if (is_gzip(bytes)) {
    Unpacked unpacked = unpack_gzip(bytes);
    if (!unpacked.fault.empty()) {
      const auto line = 1 + std::ranges::count(unpacked.text, '\n');
      throw WorkloadError(fmt::format("{}:{}: {}", file, line, unpacked.fault));
    }
    bytes = std::move(unpacked.text);
  }
  if (const std::string_view kind = other_kind_of_file(bytes); !kind.empty()) {
    throw WorkloadError(fmt::format("{}: the file is {}", file, kind));
  }
  bytes.erase(0, bytes.size() - without_byte_order_mark(bytes).size());
  return bytes;
}

std::string pack_gzip(std::string_view text) {
  Deflater deflater;
  z_stream& stream = deflater.stream();
  // zlib's default gzip header has time 0 and no name.
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  const StopToken stop = current_stop_token();
  std::size_t size = 0;
  int code = Z_OK;
  while (code == Z_OK) {
    stop.check();
    const uInt offered = static_cast<uInt>(std::min(text.size(), kPieceBytes));
    const uInt room = static_cast<uInt>(std::min(packed.size() - size, kPieceBytes));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = offered;
    stream.next_out = reinterpret_cast<Bytef*>(packed.data() + size);
    stream.avail_out = room;
    code = deflate(&stream, offered == text.size() ? Z_FINISH : Z_NO_FLUSH);
    text.remove_prefix(offered - stream.avail_in);
    size += room - stream.avail_out;
  }
  if (code != Z_STREAM_END) throw std::runtime_error("zlib cannot pack the file");
  packed.resize(size);
  return packed;
}

}  // namespace cospot
