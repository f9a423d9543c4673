#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "sim_harness/base/files/stored_file.hpp"

namespace cospot {

/// Creates missing folders and removes those that are empty at the end.
class MadeFolders {
 public:
  MadeFolders() = default;
  MadeFolders(const MadeFolders&) = delete;
  MadeFolders& operator=(const MadeFolders&) = delete;
  ~MadeFolders();

  /// Creates a folder and its missing parents.
  void make(const std::filesystem::path& folder, std::error_code& error);

 private:
  std::vector<std::filesystem::path> made_;  ///< Each folder before its parent.
};

/// A partly downloaded file: `FILE.part`, and in `FILE.part.validator` the server's identifier of
/// its version (an ETag or a date; RFC 9110, section 8.8). Both remain when a download is
/// interrupted, so that the next one can resume. For one process at a time. Both have names that
/// anybody can foresee, so neither a link nor a file of another user is taken for them.
///
/// Errors: InputError with the path and the reason.
class PartFile {
 public:
  /// Opens what an earlier download left, if anything. Creates the folder, which is removed again
  /// if it stays empty.
  explicit PartFile(std::filesystem::path target);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();

  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Empty: the server gave none, so the download cannot be resumed.
  [[nodiscard]] const std::string& validator() const { return validator_; }

  [[nodiscard]] const std::filesystem::path& path() const { return part_; }

  /// Discards the content, to download another version of the file.
  void restart(const std::string& validator);

  void append(std::string_view bytes);

  /// Writes everything to disk; the file keeps its temporary name.
  void flush();

  /// Gives the file its final name.
  void finish();

  /// Removes all files.
  void remove();

 private:
  void require_ours();
  [[nodiscard]] std::string read_validator() const;
  [[noreturn]] void fail(std::string_view reason) const;

  MadeFolders folders_;
  std::filesystem::path target_;
  std::filesystem::path part_;
  std::filesystem::path validator_file_;
  std::string validator_;
  std::uint64_t size_ = 0;
  Descriptor file_;
};

}  // namespace cospot
