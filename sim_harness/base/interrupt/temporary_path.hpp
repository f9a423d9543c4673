#pragma once

#include <filesystem>

namespace cospot {

/// Notes a file or folder that only exists while something is being made, for as long as the object
/// lives. Its owner removes it; when a program must end without unwinding,
/// remove_temporary_paths() does.
class TemporaryPath {
 public:
  explicit TemporaryPath(const std::filesystem::path& path);
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  ~TemporaryPath();

 private:
  std::filesystem::path path_;
};

/// Removes every path that is noted now, and lets no further one be noted or forgotten: whoever
/// owns one waits in it until the program ends. Only for the moment before that.
void remove_temporary_paths() noexcept;

}  // namespace cospot
