#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace cospot {

/// Folders that were missing. Those in which nothing is by the end are removed again.
class MadeFolders {
 public:
  MadeFolders() = default;
  MadeFolders(const MadeFolders&) = delete;
  MadeFolders& operator=(const MadeFolders&) = delete;
  ~MadeFolders();

  /// Makes a folder and those it is in.
  void make(const std::filesystem::path& folder, std::error_code& error);

 private:
  std::vector<std::filesystem::path> made_;  ///< A folder before the one it is in.
};

/// A file that is being downloaded: `FILE.part`, and in `FILE.part.validator` what tells the server
/// which version of it that is the beginning of (an ETag or a date; RFC 9110, section 8.8). Both
/// stay when a download breaks off, so that the next one can go on. One process at a time.
///
/// Errors: InputError with the path and the reason.
class PartFile {
 public:
  /// Opens what an earlier download left, or nothing. Makes the folder, for as long as something
  /// is in it.
  explicit PartFile(std::filesystem::path target);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();

  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Empty: the server gave none, so that nothing can be continued.
  [[nodiscard]] const std::string& validator() const { return validator_; }

  [[nodiscard]] const std::filesystem::path& path() const { return part_; }

  /// Forgets what is there, for another version of the file.
  void restart(const std::string& validator);

  void append(std::string_view bytes);

  /// Puts everything on disk; the file keeps its name.
  void flush();

  /// The file takes its name.
  void finish();

  /// Nothing is left.
  void remove();

 private:
  [[noreturn]] void fail(std::string_view reason) const;

  MadeFolders folders_;
  std::filesystem::path target_;
  std::filesystem::path part_;
  std::filesystem::path validator_file_;
  std::string validator_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

}  // namespace cospot
