#include "sim_harness/experiments/summary/means_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/experiments/grid/grid.hpp"

namespace cospot {
namespace {

/// `size`, with `2%` and `500 hosts`; of the other axes their name and label.
std::string name_of(std::string_view axis) {
  return std::string(axis == "headroom_percent" ? "size" : axis);
}

std::string number_text(const Figure& figure, double value) {
  if (figure.unit == FigureUnit::kMoney) return money_text(value);
  if (figure.unit == FigureUnit::kAmount) return amount_text(value);
  if (figure.unit == FigureUnit::kCount) {
    return with_commas(fmt::format("{:.{}f}", value, std::floor(value) == value ? 0 : 1));
  }
  return with_commas(fmt::format("{:.{}f}", figure.unit == FigureUnit::kShare ? 100 * value : value,
                                 figure.decimals));
}

std::string_view unit_text(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::kShare:
    case FigureUnit::kPercent:
      return "%";
    case FigureUnit::kSeconds:
      return " s";
    case FigureUnit::kMilliseconds:
      return " ms";
    case FigureUnit::kNumber:
    case FigureUnit::kMoney:
    case FigureUnit::kAmount:
    case FigureUnit::kCount:
      break;
  }
  return "";
}

}  // namespace

SummaryCell setting_cell(const Column& column, const GridAxis& axis, std::size_t position) {
  const AxisValue& value = axis.values[position];
  if (axis.name == "headroom_percent") {
    const std::string text =
        axis.key == "headroom_percent"
            ? value.label + "%"
            : fmt::format("{} host{}", value.label, value.label == "1" ? "" : "s");
    return {text, text};
  }
  if (const auto* number = std::get_if<std::int64_t>(&value.value)) {
    if (column.type == ColumnType::kBoolean) return {value.label, *number != 0};
    return {value.label, *number};
  }
  const auto* number = std::get_if<double>(&value.value);
  return {value.label, number != nullptr ? json_of(*number) : Json(value.label)};
}

bool is_sample_axis(std::span<const GridAxis> axes, std::string_view name) {
  if (name == "seed") return true;
  // VMs and spots of two files are a pair: a mean over one of them would mix pairs.
  return name == "workload" &&
         std::ranges::none_of(axes, [](const auto& one) { return one.name == "spot_workload"; });
}

RunFigures read_figures(ResultsDatabase& results, std::span<const Figure> figures) {
  std::string columns = "run_index";
  for (const Figure& figure : figures) {
    columns += fmt::format(", {}", figure.sql.empty() ? figure.name : figure.sql);
  }
  const bool has_derived = !results.schema().derived.empty();
  SqliteStatement select(results.connection(),
                         fmt::format("SELECT {} FROM run {} ORDER BY run_index", columns,
                                     has_derived ? "JOIN run_figures USING (run_index)" : ""));
  RunFigures all;
  all.values.resize(figures.size());
  while (select.step()) {
    all.runs.push_back(static_cast<std::size_t>(select.read_integer()));
    for (RunValues& values : all.values) {
      const bool is_known = !select.next_is_null();
      const double value = select.read_number();
      values.push_back(is_known ? std::optional(value) : std::nullopt);
    }
  }
  return all;
}

std::optional<double> plain_mean(const RunValues& values, std::span<const std::size_t> runs) {
  double sum = 0, count = 0;
  for (const std::size_t run : runs) {
    if (!values[run]) continue;
    sum += *values[run];
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional(sum / count);
}

std::string figure_text(const Figure& figure, double value) {
  return (figure.is_change && value >= 0 ? "+" : "") + number_text(figure, value) +
         std::string(unit_text(figure.unit));
}

SummaryCell mean_cell(const Figure& figure, const std::optional<MeanInterval>& mean) {
  if (!mean) return {"-", mean_json(mean)};
  const std::string sign = figure.is_change && mean->mean >= 0 ? "+" : "";
  const std::string text = sign + number_text(figure, mean->mean);
  const std::string unit(unit_text(figure.unit));
  if (!mean->half_width) return {text + unit, mean_json(mean)};
  const double lower = mean->mean - *mean->half_width;
  const double upper = mean->mean + *mean->half_width;
  if (figure.is_part && (lower < 0 || upper > 1)) {
    return {fmt::format("{}{} ({} to {}{})", text, unit,
                        number_text(figure, std::clamp(lower, 0.0, 1.0)),
                        number_text(figure, std::clamp(upper, 0.0, 1.0)), unit),
            mean_json(mean)};
  }
  const bool may_be_negative = figure.is_signed || figure.unit == FigureUnit::kShare ||
                               figure.unit == FigureUnit::kPercent ||
                               figure.unit == FigureUnit::kMoney;
  if (!may_be_negative && mean->mean >= 0 && lower < 0) {
    return {fmt::format("{} ({} to {}){}", text, number_text(figure, 0), number_text(figure, upper),
                        unit),
            mean_json(mean)};
  }
  return {fmt::format("{} +/- {}{}", text, number_text(figure, *mean->half_width), unit),
          mean_json(mean)};
}

MeansTable::MeansTable(ResultsDatabase& results, std::span<const std::size_t> runs) {
  const std::vector<GridAxis> axes = results.axes();
  const Grid grid = grid_of(axes);
  std::vector<std::size_t> chosen;
  std::optional<std::size_t> workload, seed;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].name == "workload" && is_sample_axis(axes, "workload")) {
      workload = i;
      has_workloads_ = true;
      workloads_ = axes[i].values.size();
    } else if (axes[i].name == "seed") {
      seed = i;
      seeds_ = axes[i].values.size();
    } else {
      chosen.push_back(i);
    }
  }
  std::map<Coordinates, std::vector<std::size_t>> combinations;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const Coordinates at = grid.coordinates(runs[run]);
    Coordinates key;
    for (const std::size_t axis : chosen) key.push_back(at[axis]);
    combinations[key].push_back(run);
    workload_of_.push_back(workload ? at[*workload] : 0);
    seed_of_.push_back(seed ? at[*seed] : 0);
  }
  const std::vector<Column>& columns = results.schema().axes;
  for (const std::size_t axis : chosen) {
    const std::string name = name_of(axes[axis].name);
    const bool is_shared = axes[axis].values.size() == 1;
    const bool is_number = std::ranges::all_of(axes[axis].values, [](const AxisValue& value) {
      return !std::holds_alternative<std::string>(value.value);
    });
    const bool is_right = is_number && columns[axis].type != ColumnType::kBoolean;
    table_.columns.push_back({name, is_shared ? "" : name,
                              is_right ? TextTable::Align::kRight : TextTable::Align::kLeft});
  }
  settings_ = chosen.size();
  for (auto& [at, of_it] : combinations) {
    std::vector<SummaryCell>& row = table_.rows.emplace_back();
    bool is_bound = false;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::size_t axis = chosen[i];
      row.push_back(setting_cell(columns[axis], axes[axis], at[i]));
      is_bound = is_bound || axes[axis].values[at[i]].needs_true_lifetimes;
    }
    is_bound_.push_back(is_bound);
    combinations_.push_back(std::move(of_it));
  }
}

void MeansTable::add(const Figure& figure, const RunValues& values) {
  if (figure.unit == FigureUnit::kCount) {
    return add({std::string(figure.name), std::string(figure.title)},
               [&](std::span<const std::size_t> runs) {
                 const std::optional<double> mean = plain_mean(values, runs);
                 return SummaryCell{mean ? figure_text(figure, *mean) : "-", json_of(mean)};
               });
  }
  add({std::string(figure.name), std::string(figure.title)},
      [&](std::span<const std::size_t> runs) { return mean_cell(figure, mean(values, runs)); });
}

void MeansTable::add(SummaryColumn column,
                     const std::function<SummaryCell(std::span<const std::size_t> runs)>& cell) {
  table_.columns.push_back(std::move(column));
  for (std::size_t i = 0; i < combinations_.size(); ++i) {
    table_.rows[i].push_back(cell(combinations_[i]));
  }
}

void MeansTable::rewrite(
    std::string_view setting,
    const std::function<void(SummaryCell& cell, std::span<const std::size_t> runs)>& to) {
  for (std::size_t column = 0; column < settings_; ++column) {
    if (table_.columns[column].name != setting) continue;
    for (std::size_t i = 0; i < combinations_.size(); ++i) {
      to(table_.rows[i][column], combinations_[i]);
    }
  }
}

std::vector<double> MeansTable::samples(const RunValues& values,
                                        std::span<const std::size_t> runs) const {
  using Samples = std::map<std::size_t, std::vector<double>>;
  Samples by_workload, by_seed;
  for (const std::size_t run : runs) {
    if (!values[run]) continue;
    by_workload[workload_of_[run]].push_back(*values[run]);
    by_seed[seed_of_[run]].push_back(*values[run]);
  }
  std::vector<double> means;
  for (const auto& [sample, of_it] : by_workload.size() == 1 ? by_seed : by_workload) {
    means.push_back(mean_interval(of_it).mean);
  }
  return means;
}

std::optional<MeanInterval> MeansTable::mean(const RunValues& values,
                                             std::span<const std::size_t> runs) const {
  const std::vector<double> means = samples(values, runs);
  return means.empty() ? std::nullopt : std::optional(mean_interval(means));
}

std::optional<MeanInterval> MeansTable::ratio(const RunValues& values, const RunValues& by,
                                              std::span<const std::size_t> runs) const {
  const std::vector<double> means = samples(values, runs);
  return means.empty() ? std::nullopt : std::optional(ratio_interval(means, samples(by, runs)));
}

std::size_t MeansTable::workloads() const {
  return std::set(workload_of_.begin(), workload_of_.end()).size();
}

std::size_t MeansTable::setting(std::string_view axis) const {
  const auto found = std::ranges::find(table_.columns, name_of(axis), &SummaryColumn::name);
  return static_cast<std::size_t>(found - table_.columns.begin());
}

std::string MeansTable::heading() const {
  std::string text;
  for (std::size_t i = 0; i < settings_ && !table_.rows.empty(); ++i) {
    const auto& [name, title, align] = table_.columns[i];
    if (!title.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "All: " : ", ", name, table_.rows[0][i].text);
  }
  if (!text.empty()) text += "\n";
  if (workloads_ > 1 || seeds_ > 1) {
    text += fmt::format("Means over {}; +/-: 95% interval over the {}\n", means_over(),
                        workloads_ > 1 ? "workloads" : "seeds");
  }
  return text;
}

std::string MeansTable::means_over() const {
  if (seeds_ == 1) return "the workloads";
  return has_workloads_ ? "the workloads and seeds" : "the seeds";
}

}  // namespace cospot
