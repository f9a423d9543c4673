#include "sim_harness/base/files/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/errors.hpp"

namespace cospot {

namespace fs = std::filesystem;

bool is_same_file(const fs::path& one, const fs::path& other) {
  if (one.empty() || other.empty()) return false;
  std::error_code error;
  if (fs::equivalent(one, other, error)) return true;
  std::error_code other_error;
  const fs::path whole = fs::weakly_canonical(one, error);
  const fs::path other_whole = fs::weakly_canonical(other, other_error);
  return !error && !other_error && whole == other_whole;
}

void require_usable_output(std::string_view option, const fs::path& output,
                           const std::vector<fs::path>& inputs) {
  const auto is_output = [&output](const fs::path& input) { return is_same_file(input, output); };
  if (std::ranges::any_of(inputs, is_output)) {
    throw InputError(fmt::format("{} {}: is an input of this run; choose another file", option,
                                 output.string()));
  }
  std::error_code ignored;
  if (fs::is_directory(output, ignored)) {
    throw InputError(fmt::format("{} {}: is a folder, expected a file", option, output.string()));
  }
  const fs::path folder = output.parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored)) {
    throw InputError(
        fmt::format("{} {}: there is no folder '{}'; create it, or choose another file", option,
                    output.string(), folder.string()));
  }
}

}  // namespace cospot
