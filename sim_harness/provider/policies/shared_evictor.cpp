#include "sim_harness/provider/policies/shared_evictor.hpp"

#include <fmt/core.h>

#include <string>
#include <variant>
#include <vector>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/base/files/path_expansion.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/provider/run/allocator.hpp"

namespace cospot {
namespace {

constexpr const char* kModelOption = "model";

}  // namespace

std::filesystem::path find_model(const std::string& written, const std::filesystem::path& folder) {
  const std::vector<ExpandedPath> found = expand_path(written, folder);
  if (found.size() == 1) return found.front().file;
  throw ConfigError(
      fmt::format("option 'model': '{}' matches {} files, expected one", written, found.size()));
}

void make_shared_evictor(EvictorSpec& spec, const std::filesystem::path& folder) {
  if (spec.make) {
    (void)make_evictor(spec);
    return;
  }
  EvictorSpec resolved = spec;
  const auto option = spec.options.find(kModelOption);
  if (option != spec.options.end()) {
    if (const auto* written = std::get_if<std::string>(&option->second)) {
      const std::filesystem::path model = find_model(*written, folder);
      resolved.options[kModelOption] = model.string();
      spec.made = make_evictor(resolved);  // before the digest: its errors say more
      spec.model_sha256 = sha256_hex(read_stored_file(model));
      return;
    }
  }
  spec.made = make_evictor(resolved);
}

}  // namespace cospot
