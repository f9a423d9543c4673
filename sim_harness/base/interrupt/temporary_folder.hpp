#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "sim_harness/base/interrupt/temporary_path.hpp"

namespace cospot {

/// A new folder in the system's temporary folder, removed with its contents on destruction.
class TemporaryFolder {
 public:
  /// Args: name: prefix of the folder's name. Errors: InputError if it cannot be created.
  explicit TemporaryFolder(std::string_view name);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<TemporaryPath> temporary_;
};

}  // namespace cospot
