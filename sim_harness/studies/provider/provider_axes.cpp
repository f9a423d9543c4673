#include "sim_harness/studies/provider/provider_axes.hpp"

#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

#include "sim_harness/configuration/config_value.hpp"
#include "sim_harness/studies/provider/configuration_yaml.hpp"
#include "sim_harness/studies/provider/upper_bounds.hpp"
#include "sim_harness/studies/value_axes.hpp"

namespace cospot {
namespace {

template <class MakeYaml, class IsBound>
Axis labelled_axis(const ConfigNode& root, std::string_view name, std::string_view key,
                   const MakeYaml& make_yaml, const IsBound& is_bound) {
  Axis axis{std::string(name), std::string(key), {}};
  for (const ConfigNode& item : require_key(root, "sweep", key).items) {
    const std::string& label = require_key(item, key, "label").text;
    axis.values.push_back({label, label, make_yaml(item), is_bound(item)});
  }
  return axis;
}

}  // namespace

Column workload_column() {
  return axis_column("workload", ColumnType::kText, "", "its label, as the sweep file writes it");
}

Column headroom_column() {
  Column column =
      axis_column("headroom_percent", ColumnType::kNumber, "%",
                  "hosts beyond the size that fits the VMs; empty when the sweep gives `hosts`");
  column.may_be_null = true;
  return column;
}

Column vm_column() { return axis_column("vm", ColumnType::kText, "", "label of the VM policy"); }

Column spot_column() {
  return axis_column("spot", ColumnType::kText, "", "label of the spot policy");
}

Column evictor_column() {
  return axis_column("evictor", ColumnType::kText, "", "label of the evictor");
}

Column saf_column() {
  return axis_column("saf", ColumnType::kBoolean, "0 or 1", "spot-avoiding filter on");
}

Column otn_column() {
  return axis_column("otn", ColumnType::kIntegerOrText, "hosts",
                     "how many hosts the VM chain offers; or the label of another offer, "
                     "`epsilon-0.05`, `adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1`");
}

Axis workload_axis(const ConfigNode& root) {
  return labelled_axis(root, "workload", "workloads", workload_yaml,
                       [](const ConfigNode& /*workload*/) { return false; });
}

Axis size_axis(const ConfigNode& root) {
  constexpr double kMaxPercent = 1e9;
  Axis axis{"headroom_percent", "headroom_percent", {}};
  for (const ConfigNode& item : require_key(root, "sweep", "sizes").items) {
    const bool is_percent = item.find("headroom_percent") != nullptr;
    if (!is_percent) axis.key = "hosts";
    const ConfigNode& node = require_key(item, "sizes", axis.key);
    Value value;
    if (is_percent) value = read_number(node, axis.key, 0, kMaxPercent);
    axis.values.push_back({value, node.text, node.text});
  }
  return axis;
}

Axis chain_axis(const ConfigNode& root, std::string_view key) {
  return labelled_axis(root, key, key, chain_yaml, chain_needs_true_lifetimes);
}

Axis evictor_axis(const ConfigNode& root) {
  return labelled_axis(root, "evictor", "evictor", evictor_yaml, [](const ConfigNode& evictor) {
    return evictor_needs_true_lifetimes(evictor);
  });
}

Axis saf_axis(const ConfigNode& root) {
  Axis axis{"saf", "saf", {}};
  for (const ConfigNode& item : require_key(root, "sweep", "saf").items) {
    const bool is_on = read_bool(item, "saf");
    const std::string text = is_on ? "on" : "off";
    axis.values.push_back({std::int64_t{is_on}, text, text});
  }
  return axis;
}

Axis otn_axis(const ConfigNode& root) {
  Axis axis{"otn", "otn", {}};
  for (const ConfigNode& item : require_key(root, "sweep", "otn").items) {
    axis.values.push_back({offer_value(item.text), item.text, item.text});
  }
  return axis;
}

Axis integer_axis(const ConfigNode& root, std::string_view name) {
  Axis axis{std::string(name), std::string(name), {}};
  for (const ConfigNode& item : require_key(root, "sweep", name).items) {
    const std::int64_t value = read_integer(item, name, std::numeric_limits<std::int64_t>::min(),
                                            std::numeric_limits<std::int64_t>::max());
    axis.values.push_back({value, item.text, item.text});
  }
  return axis;
}

Value offer_value(const std::string& label) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(label.data(), label.data() + label.size(), number);
  if (error == std::errc() && stop == label.data() + label.size()) return number;
  return label;
}

}  // namespace cospot
