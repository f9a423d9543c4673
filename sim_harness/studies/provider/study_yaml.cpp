#include "sim_harness/studies/provider/study_yaml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <variant>
#include <vector>

#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/files/path_expansion.hpp"
#include "sim_harness/studies/provider/configuration_yaml.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

/// The path, with escapes as in a URL if it cannot be a label: different paths have different ones.
std::string label_of(const std::string& path) {
  if (is_label(path) && path.find('%') == std::string::npos) return path;
  std::string label;
  for (const char c : path) {
    label += c == '%' || !is_label({&c, 1}) ? fmt::format("%{:02X}", c) : std::string(1, c);
  }
  return label;
}

void make_relative(ProviderSettings& settings, const fs::path& folder) {
  for (WorkloadSpec& workload : settings.workloads) {
    if (workload.synthetic) continue;
    workload.path = relative_path(workload.file, folder);
    workload.label = label_of(workload.path);
  }
  for (EvictorSpec& evictor : settings.evictors) {
    const auto model = evictor.options.find("model");
    if (model == evictor.options.end()) continue;
    model->second = relative_path(std::get<std::string>(model->second), folder);
  }
}

std::string host_lines(const HostMix& hosts, const std::string& given, const fs::path& folder) {
  const bool is_file = given.ends_with(".csv") || given.ends_with(".csv.gz");
  std::string lines = fmt::format("host: {}\n", is_file ? yaml_text(relative_path(given, folder))
                                                        : host_yaml(host_json(hosts)));
  if (!hosts.added_type().empty()) {
    lines += fmt::format("added_type: {}\n", yaml_text(hosts.added_type()));
  }
  return lines;
}

/// A line each. A path that is not UTF-8 is an error: as a result names it, it opens no file.
std::string workload_lines(const std::vector<WorkloadSpec>& workloads) {
  std::string lines = "workloads:\n";
  for (const WorkloadSpec& workload : workloads) {
    Json json = setting_json(workload);
    if (!workload.path.empty()) json["path"] = workload.path;
    lines += fmt::format("  - {}\n", workload_yaml(json));
  }
  return lines;
}

/// A size or flag that does not vary needs no list.
std::string axis_line(const GridAxis& axis) {
  std::vector<std::string> values;
  for (const AxisValue& value : axis.values) values.push_back(value.yaml);
  const std::string joined = fmt::format("{}", fmt::join(values, ", "));
  const bool is_plain =
      values.size() == 1 && (axis.name == kSizeAxis.name || axis.name == kSafAxis.name);
  return fmt::format("{}: {}\n", axis.key, is_plain ? joined : "[" + joined + "]");
}

}  // namespace

std::string study_yaml(ProviderSettings settings, const std::string& host, const fs::path& folder) {
  make_relative(settings, folder);
  std::string text = workload_lines(settings.workloads) + host_lines(settings.host, host, folder);
  for (const GridAxis& axis : provider_table().axes(settings)) {
    if (axis.name == kWorkloadAxis.name) continue;
    text += axis_line(axis);
    if (axis.name != kSizeAxis.name || settings.headroom_of.empty()) continue;
    std::vector<std::string> policies;
    for (const ChainSpec& chain : settings.headroom_of) {
      policies.push_back(axis_value(chain).yaml);
    }
    text += fmt::format("headroom_of: [{}]\n", fmt::join(policies, ", "));
  }
  return text;
}

}  // namespace cospot
