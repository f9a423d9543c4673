#include "sim_harness/experiments/summary/best_of_each.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "sim_harness/experiments/grid/grid.hpp"
#include "sim_harness/experiments/summary/figure_answers.hpp"

namespace cospot {
namespace {

constexpr std::size_t kMaxLabelWidth = 20;

/// In the table a policy written in Python goes by its class, and a long label is cut; the answer
/// above it has all of it.
std::string short_label(const std::string& label) {
  const bool is_python = label.starts_with("python:") || label.starts_with("nova:");
  const std::string name = is_python ? label.substr(label.rfind('.') + 1) : label;
  return name.size() <= kMaxLabelWidth ? name : name.substr(0, kMaxLabelWidth - 1) + "~";
}

const Figure& deciding_figure(const StudyFigures& study) {
  return *std::ranges::find(study.figures, Better::kHigh, &Figure::better);
}

/// The number of a value; numbers of hosts stand in the label, as they are NULL among headrooms.
double number_of(const AxisValue& value) {
  const auto* number = std::get_if<double>(&value.value);
  return number != nullptr ? *number : std::stod(value.label);
}

/// The value of the axis, the other settings, and the figures.
SummaryTable best_table(const MeansTable& means, std::size_t axis) {
  SummaryTable table{.columns = means.table().columns};
  std::rotate(table.columns.begin(), table.columns.begin() + static_cast<std::ptrdiff_t>(axis),
              table.columns.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  table.columns.front() = {"", table.columns.front().name, TextTable::Align::kLeft};
  return table;
}

std::vector<SummaryCell> best_cells(const MeansTable& means, std::size_t axis, std::string name,
                                    std::size_t row) {
  std::vector<SummaryCell> cells = means.table().rows[row];
  for (std::size_t i = 0; i < means.settings(); ++i) cells[i].text = short_label(cells[i].text);
  cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(axis));
  cells.insert(cells.begin(), {std::move(name), {}});
  return cells;
}

/// The best of all values, and what it is compared with.
std::string answer_text(const StudyFigures& study, const MeansTable& means,
                        const std::vector<BestRows>& values) {
  const Figure& figure = deciding_figure(study);
  const std::vector<SummaryColumn>& columns = means.table().columns;
  const auto column = std::ranges::find(columns, figure.name, &SummaryColumn::name);
  const auto cell = [&, at = static_cast<std::size_t>(column - columns.begin())](std::size_t row) {
    return means.table().rows[row][at];
  };
  const BestRows* most = nullptr;
  double greatest = 0;
  for (const BestRows& one : values) {
    const Json mean = one.best ? cell(*one.best).json.at("mean") : Json();
    if (mean.is_null() || (most != nullptr && mean.get<double>() <= greatest)) continue;
    most = &one;
    greatest = mean.get<double>();
  }
  if (most == nullptr) return "";
  const auto told = [&](std::size_t row) {
    return cell(row).text + settings_of_rows(means, std::array{row});
  };
  std::string text = fmt::format("{} {}: highest {}\n", capitalised(figure.title), study.best->met,
                                 told(*most->best));
  if (most->compared == most->best) return text;
  return text + fmt::format("  {}: {}\n", study.best->compared.title,
                            most->compared
                                ? told(*most->compared)
                                : fmt::format("none {} among the results", study.best->met));
}

/// The reason for which a value has no best combination, or no upper bound.
std::string missing_text(const BestOfEach& of, const BestRows& one, bool any_to_set,
                         bool any_bound) {
  std::string text;
  if (!one.best) {
    text += !any_to_set ? fmt::format("{}: nothing in this study can be set\n", one.value)
                        : fmt::format("{}: none: every combination{} {}\n", one.value,
                                      any_bound ? " that can be set" : "", of.failed);
  }
  if (one.bound || !any_bound) return text;
  return text +
         fmt::format("{}: every combination that {} {}\n", one.value, of.bound.title, of.failed);
}

}  // namespace

std::vector<BestRows> best_rows(ResultsDatabase& results, const StudyFigures& study,
                                const MeansTable& table) {
  const std::vector<std::size_t> runs = results.finished_runs();
  const std::vector<GridAxis> axes = results.axes();
  const Grid grid = grid_of(axes);
  const std::size_t position = axis_position(axes, study.best->axis);
  const GridAxis& axis = axes[position];
  std::map<double, BestRows> by_value;
  std::map<std::size_t, std::pair<std::size_t, BestRows*>> row_of;  // by run
  for (std::size_t row = 0; row < table.combinations().size(); ++row) {
    const std::size_t run = runs[table.combinations()[row].front()];
    const std::size_t at = grid.coordinates(run)[position];
    BestRows& best = by_value[number_of(axis.values[at])];
    best.value = setting_cell(results.schema().axes[position], axis, at).text;
    best.json = {{"headroom_percent", nullptr}, {"hosts", nullptr}};
    best.json[axis.key] = json_of(number_of(axis.values[at]));
    for (const std::size_t one : table.combinations()[row]) row_of[runs[one]] = {row, &best};
  }
  SqliteStatement select(results.connection(), std::string(study.best->sql));
  while (select.step()) {
    const auto [row, best] = row_of.at(static_cast<std::size_t>(select.read_integer()));
    const bool is_compared = select.read_integer() != 0;
    (is_compared ? best->compared : table.is_bound(row) ? best->bound : best->best) = row;
  }
  std::vector<BestRows> values;
  for (auto& [value, best] : by_value) values.push_back(std::move(best));
  return values;
}

void add_best(ResultsDatabase& results, const StudyFigures& study, const MeansTable& means,
              StudySummary& summary) {
  const BestOfEach& of = *study.best;
  const std::vector<BestRows> values = best_rows(results, study, means);
  const std::size_t axis = means.setting(of.axis);
  const std::size_t rows = means.combinations().size();
  std::size_t bounds = 0;
  for (std::size_t row = 0; row < rows; ++row) bounds += means.is_bound(row) ? 1 : 0;
  SummaryTable table = best_table(means, axis);
  std::string missing;
  Json& list = summary.json[of.json] = Json::array();
  for (const BestRows& one : values) {
    Json json = one.json;
    const auto add = [&](const BestKind& kind, const std::string& name,
                         const std::optional<std::size_t>& row, bool is_shown) {
      json[kind.json] = nullptr;
      if (!row) return;
      SummaryTable alone{.columns = table.columns, .rows = {best_cells(means, axis, name, *row)}};
      json[kind.json] = alone.json().front();
      if (is_shown) table.rows.push_back(alone.rows.front());
    };
    add(of.best, one.value, one.best, true);
    add(of.compared, fmt::format("  {}", of.compared.title), one.compared,
        one.best && one.compared != one.best);
    add(of.bound, fmt::format("  {}", of.bound.title), one.bound, true);
    list.push_back(std::move(json));
    missing += missing_text(of, one, rows > bounds, bounds > 0);
  }
  if (values.empty()) return;
  summary.text.add_answer(answer_text(study, means, values));
  summary.text += means.heading();
  const std::size_t workloads = means.workloads();
  summary.text += fmt::format("The best of each {} {}{}\n", table.columns.front().title, of.met,
                              workloads > 1 ? fmt::format(" on all {} workloads", workloads) : "");
  if (!table.rows.empty()) summary.text.add(table);
  summary.text += missing;
  if (bounds > 0) {
    summary.text += fmt::format("({}: no datacenter can be set to that row)\n", of.bound.title);
  }
}

}  // namespace cospot
