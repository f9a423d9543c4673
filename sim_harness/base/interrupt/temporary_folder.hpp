#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "sim_harness/base/interrupt/temporary_path.hpp"

namespace cospot {

/// A new folder among the system's temporary ones, removed with all that is in it.
class TemporaryFolder {
 public:
  /// Args: name: what its own name begins with. Errors: InputError when it cannot be made.
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
