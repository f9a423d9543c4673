#include "sim_harness/report/report_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/report/report_axes.hpp"
#include "sim_harness/results/gain.hpp"
#include "sim_harness/results/revenue_text.hpp"

namespace cospot {
namespace {

std::string json_number(std::uint64_t value) { return fmt::format("{}", value); }

/// Six significant digits: more than any chart or table shows.
std::string json_percent(std::optional<double> fraction) {
  if (!fraction || !std::isfinite(*fraction)) return "null";
  return fmt::format("{:.6g}", *fraction * 100);
}

std::optional<double> ratio(Revenue part, Revenue whole) {
  if (whole == 0) return std::nullopt;
  return vcpu_seconds(part) / vcpu_seconds(whole);
}

std::string json_list(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ","));
}

/// One value per run; a column that is the same everywhere is written once, as {"all": value}.
template <class Write>
std::string json_column(std::string_view name, std::span<const ResultRow> rows,
                        const Write& write) {
  std::vector<std::string> values;
  values.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) values.push_back(write(i));
  const bool is_constant = std::equal(values.begin() + 1, values.end(), values.begin());
  const std::string text =
      is_constant ? fmt::format("{{\"all\":{}}}", values.front()) : json_list(values);
  return fmt::format("\"{}\":{}", name, text);
}

std::string columns_json(std::span<const ResultRow> rows) {
  const std::vector<Gain> gains = compute_gains(rows);
  const auto count = [&](std::string_view name, auto member) {
    return json_column(name, rows,
                       [&](std::size_t i) { return json_number(rows[i].result.*member); });
  };
  const std::vector<std::string> columns{
      json_column("gain", rows, [&](std::size_t i) { return json_percent(gains[i].value); }),
      json_column("share", rows,
                  [&](std::size_t i) {
                    const RunResult& run = rows[i].result;
                    return json_percent(ratio(run.spot_revenue, run.spot_revenue_requested));
                  }),
      json_column("shareFirstHourFree", rows,
                  [&](std::size_t i) {
                    const RunResult& run = rows[i].result;
                    return json_percent(
                        ratio(run.spot_revenue_first_hour_free, run.spot_revenue_requested));
                  }),
      json_column("loss", rows,
                  [&](std::size_t i) {
                    const RunResult& run = rows[i].result;
                    return json_percent(
                        ratio(run.vm_revenue_requested - run.vm_revenue, run.vm_revenue_requested));
                  }),
      count("hosts", &RunResult::hosts),
      count("rejected", &RunResult::vm_rejected),
      count("tooLarge", &RunResult::vm_too_large),
      count("admitted", &RunResult::spot_admitted),
      count("evictions", &RunResult::evictions),
      count("p99", &RunResult::alloc_p99_ns)};
  return fmt::format("{{{}}}", fmt::join(columns, ",\n"));
}

/// Run indices, or null when every run of the sweep is there: then they are 0, 1, 2, ...
std::string indices_json(const SweepRecord& sweep, std::span<const ResultRow> rows) {
  if (rows.size() == sweep.run_count) return "null";
  std::vector<std::string> indices;
  for (const ResultRow& row : rows) indices.push_back(json_number(row.run_index));
  return json_list(indices);
}

std::string versions_json(std::span<const ResultRow> rows) {
  std::set<std::string> versions;
  for (const ResultRow& row : rows) versions.insert(script_json_text(row.version));
  return json_list({versions.begin(), versions.end()});
}

}  // namespace

std::string script_json_text(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (c == '<' || static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(json), "\\u{:04x}", static_cast<int>(c));
    } else {
      json += c;
    }
  }
  return json + '"';
}

std::string report_json(const SweepRecord& sweep, std::span<const ResultRow> rows,
                        const std::string& database) {
  const ReportAxes axes = read_report_axes(sweep, database);
  for (const ResultRow& row : rows) require_on_axes(row, axes, database);
  return fmt::format(
      "{{\"createdBy\":{},\n\"versions\":{},\n\"expectedRuns\":{},\n\"host\":{},\n\"axes\":{},\n"
      "\"runs\":{},\n\"columns\":{}}}",
      script_json_text(sweep.created_by), versions_json(rows), sweep.run_count,
      script_json_text(axes.host_yaml), axes_json(axes, rows), indices_json(sweep, rows),
      columns_json(rows));
}

}  // namespace cospot
