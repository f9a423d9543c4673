#include "sim_harness/report/report_axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/report/configuration_yaml.hpp"
#include "sim_harness/report/report_json.hpp"
#include "sim_harness/results/bound_policies.hpp"
#include "sim_harness/results/revenue_text.hpp"
#include "sim_harness/sweeps/config_value.hpp"
#include "sim_harness/sweeps/yaml_reader.hpp"

namespace cospot {
namespace {

bool is_never_bound(const ConfigNode& /*value*/) { return false; }

template <class MakeYaml, class IsBound>
ReportAxis labelled_axis(const ConfigNode& root, std::string_view key, const MakeYaml& make_yaml,
                         const IsBound& is_bound) {
  ReportAxis axis{std::string(key), {}};
  for (const ConfigNode& item : require_key(root, "sweep", key).items) {
    axis.values.push_back({require_key(item, key, "label").text, make_yaml(item), is_bound(item)});
  }
  return axis;
}

ReportAxis size_axis(const ConfigNode& root) {
  ReportAxis axis{"headroom_percent", {}};
  for (const ConfigNode& item : require_key(root, "sweep", "sizes").items) {
    if (item.find("headroom_percent") == nullptr) axis.key = "hosts";
    const std::string& text = require_key(item, "sizes", axis.key).text;
    axis.values.push_back({.label = text, .yaml = text});
  }
  return axis;
}

ReportAxis scalar_axis(const ConfigNode& root, std::string_view key) {
  ReportAxis axis{std::string(key), {}};
  for (const ConfigNode& item : require_key(root, "sweep", key).items) {
    axis.values.push_back({.label = item.text, .yaml = item.text});
  }
  return axis;
}

std::string size_label(const ResultRow& row) {
  return row.headroom_percent ? fmt::format("{}", *row.headroom_percent)
                              : fmt::format("{}", row.result.hosts);
}

/// What a workload requests, of any of its runs.
std::string requested_json(const ResultRow& row) {
  return fmt::format(
      ",\"sha256\":{},\"vms\":{},\"spots\":{},\"vmRevenue\":{:.6g},\"spotRevenue\":{:.6g}",
      script_json_text(row.workload_sha256), row.result.vm_requests, row.result.spot_requests,
      vcpu_seconds(row.result.vm_revenue_requested),
      vcpu_seconds(row.result.spot_revenue_requested));
}

}  // namespace

ReportAxes read_report_axes(const SweepRecord& sweep, const std::string& database) {
  try {
    // JSON is YAML.
    const ConfigNode root = parse_yaml(sweep.configuration, "configuration");
    ReportAxes axes;
    axes.host_yaml = host_yaml(require_key(root, "sweep", "host"));
    const auto evictor_is_bound = [](const ConfigNode& evictor) {
      return evictor_needs_true_lifetimes(evictor);
    };
    axes.axes = {labelled_axis(root, "workloads", workload_yaml, is_never_bound),
                 size_axis(root),
                 labelled_axis(root, "vm", chain_yaml, chain_needs_true_lifetimes),
                 labelled_axis(root, "spot", chain_yaml, chain_needs_true_lifetimes),
                 labelled_axis(root, "evictor", evictor_yaml, evictor_is_bound),
                 scalar_axis(root, "saf"),
                 scalar_axis(root, "otn")};
    return axes;
  } catch (const ConfigError& error) {
    throw DatabaseError(
        fmt::format("{}: the sweep in it cannot be read: {}", database, error.what()));
  }
}

void require_on_axes(const ResultRow& row, const ReportAxes& axes, const std::string& database) {
  const std::array<std::string, ReportAxes::kCount> labels{
      row.workload,   size_label(row), row.vm, row.spot, row.evictor, row.saf ? "true" : "false",
      row.otn.label()};
  std::size_t rest = row.run_index;
  bool fits = true;
  for (std::size_t i = ReportAxes::kCount; i-- > 0;) {
    const std::vector<AxisValue>& values = axes.axes[i].values;
    fits = fits && !values.empty() && values[rest % values.size()].label == labels[i];
    if (!values.empty()) rest /= values.size();
  }
  if (fits && rest == 0) return;
  throw DatabaseError(fmt::format("{}: run {} ({}) is not what the sweep in it has there", database,
                                  row.run_index, fmt::join(labels, ", ")));
}

std::string axes_json(const ReportAxes& axes, std::span<const ResultRow> rows) {
  std::map<std::string, const ResultRow*> first_rows;
  for (const ResultRow& row : rows) first_rows.emplace(row.workload, &row);
  std::vector<std::string> texts;
  for (const ReportAxis& axis : axes.axes) {
    std::vector<std::string> values;
    for (const AxisValue& value : axis.values) {
      const bool is_workload = axis.key == axes.axes[ReportAxes::kWorkload].key;
      const auto first = is_workload ? first_rows.find(value.label) : first_rows.end();
      values.push_back(
          fmt::format("{{\"label\":{},\"yaml\":{}{}{}}}", script_json_text(value.label),
                      script_json_text(value.yaml), value.is_bound ? ",\"bound\":true" : "",
                      first == first_rows.end() ? "" : requested_json(*first->second)));
    }
    texts.push_back(
        fmt::format("{{\"key\":\"{}\",\"values\":[{}]}}", axis.key, fmt::join(values, ",")));
  }
  return fmt::format("[{}]", fmt::join(texts, ",\n"));
}

}  // namespace cospot
