#include "sim_harness/data/imports/workload_list.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <any>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/named_files.hpp"
#include "sim_harness/data/imports/imported_workload.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/window.hpp"

namespace cospot {
namespace {

constexpr std::array<std::string_view, 1> kModels{"azure2020"};
constexpr std::array<std::string_view, 2> kSamplings{"batched", "bernoulli"};
constexpr double kMinScale = 0.0001;
constexpr double kMaxScale = 1;

std::string read_choice(const ConfigNode& node, std::string_view key,
                        std::span<const std::string_view> choices) {
  std::string text = read_text(node, key);
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return text;
  throw_bad_value(node, key, fmt::format("one of: {}", fmt::join(choices, ", ")));
}

std::optional<SimTime> read_own_window(const ConfigNode& workload) {
  const ConfigNode* days = workload.find("window_days");
  if (days == nullptr) return std::nullopt;
  return read_window_days(*days);
}

WorkloadSpec read_synthetic(const ConfigNode& node, std::string_view key) {
  static constexpr std::array<std::string_view, 6> kKeys{"synthetic", "seed",  "scale",
                                                         "sampling",  "label", "window_days"};
  require_known_keys(node, key, kKeys);
  SyntheticSpec recipe;
  WorkloadSpec spec;
  recipe.model = read_choice(*node.find("synthetic"), "synthetic", kModels);
  spec.label = recipe.model;
  if (const ConfigNode* seed = node.find("seed")) {
    recipe.seed = static_cast<std::uint64_t>(
        read_integer(*seed, "seed", 0, std::numeric_limits<std::int64_t>::max()));
    spec.label += " seed=" + seed->text;
  }
  if (const ConfigNode* scale = node.find("scale")) {
    recipe.scale = read_number(*scale, "scale", kMinScale, kMaxScale);
    spec.label += " scale=" + scale->text;
  }
  if (const ConfigNode* sampling = node.find("sampling")) {
    recipe.sampling = parse_zone_sampling(read_choice(*sampling, "sampling", kSamplings));
    spec.label += " sampling=" + sampling->text;
  }
  if (const ConfigNode* label = node.find("label")) spec.label = read_label(*label, "label");
  spec.synthetic = recipe;
  spec.window = read_own_window(node);
  return spec;
}

std::vector<WorkloadSpec> read_files(const ConfigNode& path, const std::filesystem::path& folder,
                                     std::string_view key) {
  if (const auto* given = std::any_cast<WorkloadSpec>(&path.given)) return {*given};
  std::vector<WorkloadSpec> specs;
  for (ExpandedPath& expanded : read_paths(path, key, folder)) {
    specs.push_back({.label = expanded.label,
                     .file = std::move(expanded.file),
                     .synthetic = std::nullopt,
                     .path = std::move(expanded.label)});
  }
  return specs;
}

std::vector<WorkloadSpec> read_labelled_file(const ConfigNode& node,
                                             const std::filesystem::path& folder,
                                             std::string_view key) {
  static constexpr std::array<std::string_view, 3> kKeys{"path", "label", "window_days"};
  require_known_keys(node, key, kKeys);
  std::vector<WorkloadSpec> specs = read_files(require_key(node, key, "path"), folder, key);
  for (WorkloadSpec& spec : specs) spec.window = read_own_window(node);
  const ConfigNode* label = node.find("label");
  if (label == nullptr) return specs;
  if (specs.size() > 1) {
    throw ConfigError(
        fmt::format("{}: one label for {} files; expected a path that "
                    "matches one file",
                    key_place(*label, key), specs.size()));
  }
  specs.front().label = read_label(*label, "label");
  return specs;
}

WorkloadSpec read_import(const ConfigNode& node, const std::filesystem::path& folder,
                         std::string_view key) {
  WorkloadSpec spec = import_spec(node, folder, key);
  const ConfigNode* label = node.find("label");
  const ConfigNode& name =
      label == nullptr ? *read_list(*node.find("import"), key).front() : *label;
  spec.label = read_text(name, "label");
  spec.window = read_own_window(node);
  return spec;
}

std::vector<WorkloadSpec> read_element(const ConfigNode& node, const std::filesystem::path& folder,
                                       std::string_view key) {
  switch (node.kind) {
    case ConfigNode::Kind::kScalar:
      if (const WorkloadSpec spec = parse_workload_spec(node.text); spec.synthetic) return {spec};
      return read_files(node, folder, key);
    case ConfigNode::Kind::kMapping:
      if (node.find("synthetic") != nullptr) return {read_synthetic(node, key)};
      if (node.find("import") != nullptr) return {read_import(node, folder, key)};
      if (node.find("path") != nullptr) return read_labelled_file(node, folder, key);
      throw_bad_value(node, key, "a mapping with the key path, import or synthetic");
    case ConfigNode::Kind::kNull:
    case ConfigNode::Kind::kList:
      break;
  }
  throw_bad_value(node, key, "a path or a mapping with the key path, import or synthetic");
}

bool is_same_recipe(const SyntheticSpec& one, const SyntheticSpec& other) {
  return one.model == other.model && one.seed == other.seed && one.scale == other.scale &&
         one.sampling == other.sampling;
}

/// Throws when `spec` has the label, the file or the recipe of an earlier workload.
void require_new(const WorkloadSpec& spec, const std::vector<WorkloadSpec>& earlier,
                 const std::string& place) {
  for (const WorkloadSpec& other : earlier) {
    const char* what = nullptr;
    if (spec.label == other.label) what = "label";
    // The same requests over two windows are two workloads.
    const bool same_window = spec.window == other.window;
    if (!spec.file.empty() && spec.file == other.file && same_window) what = "file";
    if (spec.synthetic && other.synthetic && is_same_recipe(*spec.synthetic, *other.synthetic) &&
        same_window)
      what = "recipe";
    if (what == nullptr) continue;
    throw ConfigError(fmt::format("{}: '{}' has the same {} as the earlier '{}'", place, spec.label,
                                  what, other.label));
  }
}

}  // namespace

SimTime read_window_days(const ConfigNode& node) {
  if (node.kind == ConfigNode::Kind::kScalar && !node.quoted) {
    if (const std::optional<SimTime> window = parse_window_days(node.text)) return *window;
  }
  throw_bad_value(node, "window_days", kWindowDaysExpected);
}

std::vector<WorkloadSpec> read_workloads(const ConfigNode& node,
                                         const std::filesystem::path& folder) {
  return read_workloads(node, folder, "workloads");
}

std::vector<WorkloadSpec> read_workloads(const ConfigNode& node,
                                         const std::filesystem::path& folder,
                                         std::string_view key) {
  std::vector<WorkloadSpec> specs;
  for (const ConfigNode* item : read_list(node, key)) {
    for (WorkloadSpec& spec : read_element(*item, folder, key)) {
      if (!is_label(spec.label)) {
        throw ConfigError(
            fmt::format("{}: '{}' has a comma, a quote or a control "
                        "character; name it with {{path: ..., label: ...}}",
                        key_place(*item, key), spec.label));
      }
      require_new(spec, specs, key_place(*item, key));
      specs.push_back(std::move(spec));
    }
  }
  return specs;
}

}  // namespace cospot
