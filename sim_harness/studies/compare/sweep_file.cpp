#include "sim_harness/studies/compare/sweep_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {
namespace {

/// The keys of a sweep, and what was one of a scenario.
const SettingTable<Sweep>& sweep_table() {
  static const SettingTable<Sweep> table("sweep", provider_table(),
                                         {Setting<Sweep>{.keys = {},
                                                         .read = [](const StudyFile&, Sweep&) {},
                                                         .write = [](const Sweep&, Json&) {},
                                                         .renamed = {{"life", "disruptions"}}}});
  return table;
}

Sweep read_tree(const StudyFile& file) {
  const ConfigNode& root = file.root;
  if (const ConfigNode* study = root.find("study"); study != nullptr && study->text != "compare") {
    throw_bad_value(*study, "study", "compare");
  }
  if (const ConfigNode* disruptions = root.find("disruptions")) {
    throw ConfigError(key_place(*disruptions, "disruptions") +
                      ": found in a study that knows none; expected 'study: life' with it, or "
                      "a scenario of 'cospot run'");
  }
  return sweep_table().read(file);
}

/// What `cospot run` knows beside the keys of a sweep.
void take_disruptions(ConfigNode& root, ConfigNode& disruptions) {
  const auto found = std::ranges::find(root.entries, "disruptions", &ConfigEntry::key);
  if (found == root.entries.end()) return;
  disruptions = std::move(found->value);
  root.entries.erase(found);
}

void require_one(const ConfigNode& root, std::string_view key, std::size_t count) {
  if (count == 1) return;
  const ConfigNode* node = root.find(key);
  throw ConfigError(fmt::format("{}: found {} values, expected one: a scenario is one run",
                                key_place(node == nullptr ? root : *node, key), count));
}

}  // namespace

Sweep read_sweep(ConfigNode root, const std::filesystem::path& folder,
                 const std::vector<std::string>& overrides, PolicyLoader& loader,
                 const std::optional<SimTime>& window) {
  return read_tree({.root = with_overrides(std::move(root), overrides),
                    .folder = folder,
                    .window = window,
                    .policies = &loader});
}

Sweep read_sweep(const std::filesystem::path& file, const std::vector<std::string>& overrides,
                 PolicyLoader& loader, const std::optional<SimTime>& window) {
  loader.search_first(file.parent_path());
  return read_sweep(read_yaml_file(file), file.parent_path(), overrides, loader, window);
}

Sweep read_sweep(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  NoPythonPolicies none;
  return read_sweep(file, overrides, none);
}

Sweep read_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides,
                    PolicyLoader& loader, const std::optional<SimTime>& window,
                    ConfigNode* disruptions) {
  loader.search_first(file.parent_path());
  return read_scenario(with_overrides(read_yaml_file(file), overrides), file.parent_path(), loader,
                       window, disruptions);
}

Sweep read_scenario(ConfigNode root, const std::filesystem::path& folder, PolicyLoader& loader,
                    const std::optional<SimTime>& window, ConfigNode* disruptions) {
  if (disruptions != nullptr) take_disruptions(root, *disruptions);
  const Sweep sweep =
      read_tree({.root = root, .folder = folder, .window = window, .policies = &loader});
  require_one(root, "workloads", sweep.workloads.size());
  const char* sizes_key = sweep.sizes.front().percent ? "headroom_percent" : "hosts";
  require_one(root, sizes_key, sweep.sizes.size());
  require_one(root, "vm", sweep.vm.size());
  require_one(root, "spot", sweep.spot.size());
  require_one(root, "evictor", sweep.evictors.size());
  require_one(root, "saf", sweep.saf.size());
  require_one(root, "otn", sweep.otn.size());
  return sweep;
}

}  // namespace cospot
