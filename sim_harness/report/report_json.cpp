#include "sim_harness/report/report_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/configuration/yaml_reader.hpp"
#include "sim_harness/experiments/stored_axes.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/report/report_axes.hpp"
#include "sim_harness/studies/provider/configuration_yaml.hpp"

namespace cospot {
namespace {

/// A column of the report: its name there and what it is in `run_figures` joined with `run`.
struct ReportColumn {
  std::string_view name;
  std::string_view sql;
  bool is_fraction = false;  ///< shown in percent
  bool is_number = false;    ///< no whole number
};

constexpr std::array kColumns{
    ReportColumn{"gain", "gain", true},
    ReportColumn{"share", "spot_share", true},
    ReportColumn{"shareFirstHourFree", "spot_share_first_hour_free", true},
    ReportColumn{"loss", "vm_loss", true},
    ReportColumn{.name = "perHost", .sql = "spot_vcpu_hours_per_host", .is_number = true},
    ReportColumn{"hosts", "hosts"},
    ReportColumn{"rejected", "vm_rejected"},
    ReportColumn{"tooLarge", "vm_too_large"},
    ReportColumn{"admitted", "spot_admitted"},
    ReportColumn{"evictions", "run.evictions"},
    ReportColumn{"p99", "alloc_p99_ns"}};

/// Six significant digits of a percentage: more than any chart or table shows.
std::string read_json(SqliteStatement& select, const ReportColumn& column) {
  if (select.next_is_null()) {
    static_cast<void>(select.read_text());
    return "null";
  }
  if (column.is_fraction) return fmt::format("{:.6g}", select.read_number() * 100);
  if (column.is_number) return fmt::format("{:.6g}", select.read_number());
  return fmt::format("{}", select.read_integer());
}

/// One value per run; a column that is the same everywhere is written once, as {"all": value}.
std::string column_json(std::string_view name, const std::vector<std::string>& values) {
  const bool is_constant = std::equal(values.begin() + 1, values.end(), values.begin());
  const std::string text =
      is_constant ? fmt::format("{{\"all\":{}}}", values.front()) : json_list(values);
  return fmt::format("\"{}\":{}", name, text);
}

std::string columns_json(ResultsDatabase& results) {
  std::vector<std::string_view> selected;
  for (const ReportColumn& column : kColumns) selected.push_back(column.sql);
  SqliteStatement select(
      results.connection(),
      fmt::format("SELECT {} FROM run_figures JOIN run USING (run_index) ORDER BY run_index",
                  fmt::join(selected, ", ")));
  std::array<std::vector<std::string>, kColumns.size()> values;
  while (select.step()) {
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      values[i].push_back(read_json(select, kColumns[i]));
    }
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    texts.push_back(column_json(kColumns[i].name, values[i]));
  }
  return fmt::format("{{{}}}", fmt::join(texts, ",\n"));
}

/// `,"unit":...` of each workload whose vcpus are no vCPUs, as the sweep in the database says.
std::map<std::string, std::string> units_json(ResultsDatabase& results) {
  SqliteStatement select(
      results.connection(),
      "SELECT json_extract(value, '$.label'), json_extract(value, '$.vcpus_unit')"
      " FROM sweep, json_each(sweep.configuration, '$.workloads')"
      " WHERE json_extract(value, '$.vcpus_unit') IS NOT NULL");
  std::map<std::string, std::string> units;
  while (select.step()) {
    const std::string label = select.read_text();
    units[label] = ",\"unit\":" + script_json_text(select.read_text());
  }
  return units;
}

/// What each workload requests, of its first run, as further members of its axis value.
std::map<std::string, std::string> requested_json(ResultsDatabase& results) {
  SqliteStatement select(
      results.connection(),
      "SELECT workload, workload_sha256, vm_requests, spot_requests, vm_revenue_requested,"
      " spot_revenue_requested, min(run_index) FROM run GROUP BY workload");
  const std::map<std::string, std::string> units = units_json(results);
  std::map<std::string, std::string> requested;
  while (select.step()) {
    const std::string label = select.read_text();
    const std::string sha256 = select.read_text();
    const std::int64_t vms = select.read_integer();
    const std::int64_t spots = select.read_integer();
    const double vm_revenue = select.read_number();
    requested[label] = fmt::format(
        ",\"sha256\":{},\"vms\":{},\"spots\":{},\"vmRevenue\":{:.6g},\"spotRevenue\":{:.6g}",
        script_json_text(sha256), vms, spots, vm_revenue, select.read_number());
    if (const auto unit = units.find(label); unit != units.end()) {
      requested[label] += unit->second;
    }
  }
  return requested;
}

/// Run indices, or null when every run of the sweep is there: then they are 0, 1, 2, ...
std::string indices_json(ResultsDatabase& results, std::size_t run_count) {
  const std::vector<std::size_t> runs = results.finished_runs();
  if (runs.size() == run_count) return "null";
  std::vector<std::string> indices;
  for (const std::size_t run : runs) indices.push_back(fmt::format("{}", run));
  return json_list(indices);
}

/// From what a headroom counts, as a study file has it: of the sweep, and of a file that has one of
/// its VM policies alone. Nothing where it need not be said.
struct HeadroomOfYaml {
  std::string sweep;
  std::string point;
};

HeadroomOfYaml headroom_of_yaml(const Json& sweep) {
  const Json& size = sweep.at("sizes").at(0);
  if (!size.contains("headroom_percent")) return {};
  if (size.contains("headroom_of")) return {size["headroom_of"], size["headroom_of"]};
  const auto list_yaml = [](const Json& chains) {
    std::vector<std::string> items;
    for (const Json& chain : chains) items.push_back(chain_yaml(chain));
    return fmt::format("[{}]", fmt::join(items, ", "));
  };
  if (sweep.contains("headroom_of")) {
    const std::string list = list_yaml(sweep["headroom_of"]);
    return {list, list};
  }
  const Json& vm = sweep.at("vm");
  return {"", vm.size() > 1 ? list_yaml(vm) : ""};
}

/// What the study file says of all runs, as further members of the page's data.
std::string study_json(const ExperimentRecord& record, const std::string& database) {
  try {
    const Json sweep = parse_json(record.configuration, database);
    const HeadroomOfYaml of = headroom_of_yaml(sweep);
    return fmt::format("\"host\":{},\n\"headroomOf\":{{\"sweep\":{},\"point\":{}}}",
                       script_json_text(host_yaml(sweep.at("host"))), script_json_text(of.sweep),
                       script_json_text(of.point));
  } catch (const Json::exception& error) {
    throw DatabaseError(
        fmt::format("{}: the sweep in it cannot be read: {}", database, error.what()));
  }
}

/// Prices as the page has them; nothing without some.
std::string prices_json(const std::optional<WorkloadPrices>& prices) {
  if (!prices) return {};
  const auto of = [](const VcpuHourPrices& one) {
    return fmt::format("\"onDemand\":{},\"spot\":{}", one.on_demand, one.spot);
  };
  if (!prices->is_by_flavor()) {
    return fmt::format(",\n\"prices\":{{{}}}", of(prices->vcpu_hour));
  }
  std::vector<std::string> items;
  for (const auto& [workload, one] : prices->by_workload) {
    items.push_back(fmt::format("{}:{{{}}}", script_json_text(workload), of(one)));
  }
  return fmt::format(",\n\"prices\":{{\"byWorkload\":{{{}}}}}", fmt::join(items, ","));
}

}  // namespace

std::string report_json(ResultsDatabase& results, const std::optional<WorkloadPrices>& prices) {
  const ExperimentRecord record = results.record();
  const std::vector<GridAxis> axes = results.axes();
  require_on_axes(results, axes);
  const std::map<std::string, std::string> requested = requested_json(results);
  const auto extra = [&requested](const GridAxis& axis, const AxisValue& value) {
    const auto found = axis.name == "workload" ? requested.find(value.label) : requested.end();
    return found == requested.end() ? std::string() : found->second;
  };
  return fmt::format(
      "{{\"createdBy\":{},\n\"versions\":{},\n\"expectedRuns\":{},\n{},\n\"axes\":{},\n"
      "\"runs\":{},\n\"columns\":{}{}}}",
      script_json_text(record.created_by), versions_json(results), record.run_count,
      study_json(record, results.name()), axes_json(axes, extra),
      indices_json(results, record.run_count), columns_json(results), prices_json(prices));
}

}  // namespace cospot
