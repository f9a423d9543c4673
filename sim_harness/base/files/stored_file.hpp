#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/interrupt/temporary_path.hpp"

namespace cospot {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  void close();

 private:
  int number_;
};

/// The one way to write a file. Its bytes go to a new file next to it,
/// `PATH.0123456789abcdef.partial` with random digits, which commit() puts in the place of `path`;
/// without a commit nothing remains. No link is followed, so nobody else who may write to the
/// folder can lead the bytes elsewhere. What a killed process left is removed by the next one that
/// writes the same file.
///
/// Pipes and devices are written in place, and so is what /dev/stdout leads to.
///
/// Errors: WorkloadError with the path and the reason.
class NewFile {
 public:
  explicit NewFile(std::filesystem::path path);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  [[nodiscard]] int descriptor() const { return file_.number(); }
  void write(std::string_view bytes);

  /// Puts everything on disk and replaces the old file. Nothing can be written afterwards.
  void commit();

  /// Throws the error of this file; nothing of it remains.
  [[noreturn]] void fail(std::string_view reason);

 private:
  [[nodiscard]] std::optional<std::filesystem::path> find_target();
  void open_in_place();
  void create_partial(const std::filesystem::path& target);
  [[nodiscard]] bool is_ours_alone() const;
  void remove_partial();

  std::filesystem::path path_;
  std::filesystem::path target_;   ///< at the end of the links from `path`
  std::filesystem::path partial_;  ///< empty: written in place, or committed
  std::optional<TemporaryPath> temporary_;
  StopToken stop_ = current_stop_token();
  Descriptor file_;
};

/// Throws the error of a NewFile that cannot be made: called before hours of work. Opens no pipe.
void require_writable(const std::filesystem::path& path);

/// The bytes of a file. Errors: WorkloadError with the path and the reason.
[[nodiscard]] std::string read_stored_file(const std::filesystem::path& path);

/// Writes `bytes` as NewFile does.
void write_stored_file(const std::filesystem::path& path, std::string_view bytes);

/// The same for a text, gzip-compressed if the path ends in .gz.
void write_stored_text(const std::filesystem::path& path, std::string_view text);

}  // namespace cospot
