#include "sim_harness/base/interrupt/temporary_folder.hpp"

#include <fmt/core.h>
#include <stdlib.h>

#include <string>
#include <system_error>

#include "core/errors.hpp"

namespace cospot {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(std::string_view name) {
  std::string path = fs::temp_directory_path() / fmt::format("{}-XXXXXX", name);
  if (::mkdtemp(path.data()) == nullptr) {
    throw InputError(fmt::format("{}: a temporary folder cannot be made there", path));
  }
  path_ = path;
  temporary_.emplace(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace cospot
