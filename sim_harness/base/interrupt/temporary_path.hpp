#pragma once

#include <filesystem>

namespace cospot {

/// Registers a temporary file or folder for the lifetime of the object. Its owner removes it; if a
/// program must end without unwinding, remove_temporary_paths() does.
class TemporaryPath {
 public:
  explicit TemporaryPath(const std::filesystem::path& path);
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  ~TemporaryPath();

 private:
  std::filesystem::path path_;
};

/// Removes every registered path and blocks registrations and deregistrations from then on: their
/// callers wait until the program ends. Call it only immediately before that.
void remove_temporary_paths() noexcept;

}  // namespace cospot
