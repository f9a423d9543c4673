#include "sim_harness/files/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>

namespace cospot {
namespace {

constexpr int kGzipWindowBits = 15 + 16;  // the largest window; + 16 asks zlib for gzip framing
// More than ten times the whole zone that the published samples are drawn from. It stops a small
// file that unpacks without end from taking all memory.
constexpr std::size_t kMaxUnpackedBytes = std::size_t{1} << 33;

/// An inflating z_stream that frees itself.
class Inflater {
 public:
  explicit Inflater(std::string_view bytes) : rest_(bytes) {
    if (inflateInit2(&stream_, kGzipWindowBits) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  /// Appends the next piece to `text`; returns zlib's code. `size` is the used part of `text`.
  int unpack_piece(std::string& text, std::size_t& size) {
    // zlib counts in 32 bits, so larger input and output go in pieces.
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    const uInt offered = static_cast<uInt>(std::min(rest_.size(), kMost));
    const uInt room = static_cast<uInt>(std::min(text.size() - size, kMost));
    // zlib reads through next_in only; its type lacks const unless ZLIB_CONST is set.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    stream_.avail_in = offered;
    stream_.next_out = reinterpret_cast<Bytef*>(text.data() + size);
    stream_.avail_out = room;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    rest_.remove_prefix(offered - stream_.avail_in);
    size += room - stream_.avail_out;
    return code;
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
    const int code = inflater.unpack_piece(result.text, size);
    if (code == Z_STREAM_END) {
      if (!inflater.start_next_member()) break;
    } else if (code == Z_BUF_ERROR ||
               (code == Z_OK && inflater.is_at_end() && size < result.text.size())) {
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

std::string pack_gzip(std::string_view text) {
  z_stream stream{};
  constexpr int kMemoryLevel = 8;  // zlib's own default
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  // zlib's default gzip header has time 0 and no name.
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  std::size_t size = 0;
  int code = Z_OK;
  while (code == Z_OK) {
    const uInt offered = static_cast<uInt>(std::min(text.size(), kMost));
    const uInt room = static_cast<uInt>(std::min(packed.size() - size, kMost));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = offered;
    stream.next_out = reinterpret_cast<Bytef*>(packed.data() + size);
    stream.avail_out = room;
    code = deflate(&stream, offered == text.size() ? Z_FINISH : Z_NO_FLUSH);
    text.remove_prefix(offered - stream.avail_in);
    size += room - stream.avail_out;
  }
  deflateEnd(&stream);
  if (code != Z_STREAM_END) throw std::runtime_error("zlib cannot pack the file");
  packed.resize(size);
  return packed;
}

}  // namespace cospot
