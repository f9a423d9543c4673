#include "sim_harness/studies/compare/sweep_file.hpp"

#include <fmt/core.h>

#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {
namespace {

/// Its runs are of policies alone.
ProviderSettings read_tree(const StudyFile& file) {
  const ConfigNode& root = file.root;
  if (const ConfigNode* study = root.find("study"); study != nullptr && study->text != "compare") {
    throw_bad_value(*study, "study", "compare");
  }
  const ProviderStudy study(compare_preset(), root);
  if (study.has_further_parts()) {
    const std::string_view part = study.parts().front()->name();
    const ConfigNode* node = root.find(part);
    throw ConfigError(
        fmt::format("{}: found where policies alone are compared; expected the key in "
                    "a study file, or a scenario of 'cospot run'",
                    key_place(node == nullptr ? root : *node, part)));
  }
  return study.table().read(file);
}

}  // namespace

ProviderSettings read_sweep(ConfigNode root, const std::filesystem::path& folder,
                            const std::vector<std::string>& overrides, PolicyLoader& loader,
                            const std::optional<SimTime>& window) {
  return read_tree({.root = with_overrides(std::move(root), overrides),
                    .folder = folder,
                    .window = window,
                    .policies = &loader});
}

ProviderSettings read_sweep(const std::filesystem::path& file,
                            const std::vector<std::string>& overrides, PolicyLoader& loader,
                            const std::optional<SimTime>& window) {
  loader.search_first(file.parent_path());
  return read_sweep(read_yaml_file(file), file.parent_path(), overrides, loader, window);
}

ProviderSettings read_sweep(const std::filesystem::path& file,
                            const std::vector<std::string>& overrides) {
  NoPythonPolicies none;
  return read_sweep(file, overrides, none);
}

ProviderSettings read_scenario(const std::filesystem::path& file,
                               const std::vector<std::string>& overrides, PolicyLoader& loader,
                               const std::optional<SimTime>& window) {
  loader.search_first(file.parent_path());
  return read_scenario(with_overrides(read_yaml_file(file), overrides), file.parent_path(), loader,
                       window);
}

ProviderSettings read_scenario(const ConfigNode& root, const std::filesystem::path& folder,
                               PolicyLoader& loader, const std::optional<SimTime>& window) {
  ProviderSettings sweep =
      read_tree({.root = root, .folder = folder, .window = window, .policies = &loader});
  require_one_run(root, provider_table().axes(sweep));
  return sweep;
}

}  // namespace cospot
