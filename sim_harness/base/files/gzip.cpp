#include "sim_harness/base/files/gzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"

namespace cospot {
namespace {

constexpr int kGzipWindowBits = 15 + 16;  // the largest window; + 16 asks zlib for gzip framing
// More than ten times the whole zone that the published samples are drawn from. It stops a small
// file that unpacks without end from taking all memory.
constexpr std::size_t kMaxUnpackedBytes = std::size_t{1} << 33;

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

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Unpacked unpack_gzip(std::string_view bytes) {
  Unpacked result;
  Inflater inflater(bytes);
  std::size_t size = 0;
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
    if (size > kMaxUnpackedBytes) {
      result.fault = "the gzip data unpacks to more than 8 GiB";
      break;
    }
  }
  result.text.resize(size);
  return result;
}

std::string unpacked_text(std::string bytes, std::string_view file) {
  if (!is_gzip(bytes)) return bytes;
  Unpacked unpacked = unpack_gzip(bytes);
  if (unpacked.fault.empty()) return std::move(unpacked.text);
  const auto line = 1 + std::ranges::count(unpacked.text, '\n');
  throw WorkloadError(fmt::format("{}:{}: {}", file, line, unpacked.fault));
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
