#include "sim_harness/studies/provider/study_yaml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/base/files/path_expansion.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/data/imports/imported_workload.hpp"
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
    if (!workload.import.empty()) {
      workload.import = moved_import(workload.import, workload.import_folder, folder);
      continue;
    }
    workload.path = relative_path(workload.file, folder);
    workload.label = label_of(workload.path);
  }
  for (EvictorSpec& evictor : settings.evictors) {
    const auto model = evictor.options.find("model");
    if (model == evictor.options.end()) continue;
    model->second = relative_path(std::get<std::string>(model->second), folder);
  }
}

/// A line each. A path that is not UTF-8 is an error: as a result names it, it opens no file.
std::string workload_lines(const std::vector<WorkloadSpec>& workloads) {
  std::string lines = "workloads:\n";
  for (const WorkloadSpec& workload : workloads) {
    lines += fmt::format("  - {}\n", flow_yaml(setting_json(workload)));
  }
  return lines;
}

/// A size or flag that does not vary needs no list.
std::string axis_yaml(const GridAxis& axis) {
  std::vector<std::string> values;
  for (const AxisValue& value : axis.values) values.push_back(value.yaml);
  const std::string joined = fmt::format("{}", fmt::join(values, ", "));
  const bool is_plain =
      values.size() == 1 && (axis.name == kSizeAxis.name || axis.name == kSafAxis.name);
  return is_plain ? joined : "[" + joined + "]";
}

}  // namespace

std::string study_yaml(ProviderSettings settings, const std::string& host, const fs::path& folder) {
  make_relative(settings, folder);
  Json study = provider_table().json(settings);
  if (host.ends_with(".csv") || host.ends_with(".csv.gz")) {
    study["host"] = relative_path(host, folder);
  }
  const std::vector<GridAxis> axes = provider_table().axes(settings);
  std::string text = workload_lines(settings.workloads);
  for (const auto& [key, value] : study.items()) {
    const auto axis = std::ranges::find(axes, key, &GridAxis::key);
    if (axis != axes.begin()) {
      text +=
          fmt::format("{}: {}\n", key, axis == axes.end() ? flow_yaml(value) : axis_yaml(*axis));
    }
  }
  return text;
}

std::string simulated_text(const RunSettings& run) {
  return fmt::format("Simulated on {} host{}: vm {}, spot {}, evictor {}, saf {}, otn {}\n",
                     count_text(static_cast<std::int64_t>(run.hosts)), run.hosts == 1 ? "" : "s",
                     run.vm.label, run.spot.label, run.evictor.label, run.saf_label(),
                     run.otn.label());
}

}  // namespace cospot
