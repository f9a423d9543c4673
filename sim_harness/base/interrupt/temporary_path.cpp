#include "sim_harness/base/interrupt/temporary_path.hpp"

#include <algorithm>
#include <mutex>
#include <system_error>
#include <vector>

namespace cospot {
namespace {

struct Noted {
  std::mutex mutex;
  std::vector<std::filesystem::path> paths;
};

/// Never destroyed: the program may end while a thread still writes a file.
Noted& noted() {
  static Noted& all = *new Noted;
  return all;
}

}  // namespace

TemporaryPath::TemporaryPath(const std::filesystem::path& path) {
  // Absolute, in case the current folder changes. Of no name at all: nothing to remove.
  std::error_code ignored;
  path_ = std::filesystem::absolute(path, ignored);
  Noted& all = noted();
  const std::scoped_lock lock(all.mutex);
  all.paths.push_back(path_);
}

TemporaryPath::~TemporaryPath() {
  Noted& all = noted();
  const std::scoped_lock lock(all.mutex);
  const auto found = std::ranges::find(all.paths, path_);
  if (found != all.paths.end()) all.paths.erase(found);
}

void remove_temporary_paths() noexcept {
  Noted& all = noted();
  // Held to the end of the program, so that a file which is being finished either has its name
  // already or never gets it.
  all.mutex.lock();
  for (const std::filesystem::path& path : all.paths) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
}

}  // namespace cospot
