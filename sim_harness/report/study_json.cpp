#include "sim_harness/report/study_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "sim_harness/experiments/grid.hpp"
#include "sim_harness/experiments/stored_axes.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/report/report_axes.hpp"

namespace cospot {
namespace {

/// The columns of the report: axes, measures, what is derived; their values run by run.
class StudyColumns {
 public:
  StudyColumns(ResultsDatabase& results, std::vector<GridAxis> axes)
      : schema_(results.schema()), axes_(std::move(axes)), grid_(grid_of(axes_)) {
    positions_.resize(axes_.size());
    measures_.resize(schema_.measures.size());
    results.for_each_row([this](const Row& row) { add(row); });
    for (const Column& column : schema_.derived) derived_.push_back(read_derived(results, column));
  }

  [[nodiscard]] std::string json() const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < axes_.size(); ++i) texts.push_back(axis_json(i));
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      if (!schema_.measures[i].is_in_csv()) continue;
      texts.push_back(described(schema_.measures[i]).add("values", json_list(measures_[i])).text());
    }
    for (std::size_t i = 0; i < derived_.size(); ++i) {
      texts.push_back(described(schema_.derived[i]).add("values", json_list(derived_[i])).text());
    }
    for (const std::string& column : money_) texts.push_back(column);
    return fmt::format("[{}]", fmt::join(texts, ",\n"));
  }

  void add_money(ResultsDatabase& results, const StudyMoney& money, const WorkloadPrices& prices) {
    const RunMoney of_runs = money_of_runs(results, money, prices);
    for (std::size_t i = 0; i < money.columns.size(); ++i) {
      const MoneyColumn& column = money.columns[i];
      money_.push_back(JsonObject()
                           .add("name", json_text(column.name))
                           .add("role", json_text("money"))
                           .add("unit", json_text("money"))
                           .add("meaning", script_json_text(column.meaning))
                           .add("values", list_of(of_runs.amounts[i],
                                                  [](const std::optional<double>& amount) {
                                                    return json_number(amount);
                                                  }))
                           .text());
    }
  }

 private:
  void add(const Row& row) {
    const Coordinates at = grid_.coordinates(row.run_index);
    for (std::size_t i = 0; i < at.size(); ++i) positions_[i].push_back(std::to_string(at[i]));
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      const Value& value = row.values[axes_.size() + i];
      const auto* text = std::get_if<std::string>(&value);
      measures_[i].push_back(text != nullptr ? script_json_text(*text)
                                             : json_value(schema_.measures[i], value));
    }
  }

  static std::vector<std::string> read_derived(ResultsDatabase& results, const Column& column) {
    SqliteStatement select(
        results.connection(),
        fmt::format("SELECT \"{}\" FROM run_figures ORDER BY run_index", column.name));
    std::vector<std::string> values;
    while (select.step()) {
      const bool is_null = select.next_is_null();
      const double number = select.read_number();
      values.push_back(json_number(is_null ? std::nullopt : std::optional(number)));
    }
    return values;
  }

  static JsonObject described(const Column& column) {
    JsonObject object;
    object.add("name", script_json_text(column.name))
        .add("role", json_text(column_role_name(column.role)))
        .add("unit", script_json_text(column.unit))
        .add("meaning", script_json_text(column.meaning));
    return object;
  }

  [[nodiscard]] std::string axis_json(std::size_t i) const {
    std::vector<std::string> labels;
    for (const AxisValue& value : axes_[i].values) labels.push_back(script_json_text(value.label));
    return described(schema_.axes[i])
        .add("key", script_json_text(axes_[i].key))
        .add("labels", json_list(labels))
        .add("positions", json_list(positions_[i]))
        .text();
  }

  const Schema& schema_;
  std::vector<GridAxis> axes_;
  Grid grid_;
  std::vector<std::vector<std::string>> positions_;  // by axis
  std::vector<std::vector<std::string>> measures_;
  std::vector<std::vector<std::string>> derived_;
  std::vector<std::string> money_;
};

}  // namespace

std::string study_json(ResultsDatabase& results, const StudyMoney* money,
                       const std::optional<WorkloadPrices>& prices) {
  const ExperimentRecord record = results.record();
  std::vector<GridAxis> axes = results.axes();
  require_on_axes(results, axes);
  StudyColumns columns(results, std::move(axes));
  if (money != nullptr && prices) columns.add_money(results, *money, *prices);
  return fmt::format(
      "{{\"study\":{},\n\"createdBy\":{},\n\"versions\":{},\n\"expectedRuns\":{},\n"
      "\"columns\":{}}}",
      script_json_text(record.study), script_json_text(record.created_by), versions_json(results),
      record.run_count, columns.json());
}

}  // namespace cospot
