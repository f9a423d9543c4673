#include "sim_harness/experiments/grid/stored_axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "core/errors.hpp"
#include "sim_harness/experiments/grid/grid.hpp"

namespace cospot {
namespace {

/// The label of a row's value on an axis. If a study file gives hosts, the column is empty and the
/// size is the measure `hosts`.
std::string label_of(const Schema& schema, const GridAxis& axis, std::size_t position,
                     const Row& row) {
  const Value& value = row.values[position];
  const auto measure = std::ranges::find(schema.measures, axis.key, &Column::name);
  const bool is_empty = std::holds_alternative<std::monostate>(value);
  if (!is_empty || measure == schema.measures.end()) {
    return csv_value(schema.axes[position], value);
  }
  const auto index = static_cast<std::size_t>(measure - schema.measures.begin());
  return csv_value(*measure, row.values[schema.axes.size() + index]);
}

/// Labels of the file: what stands in a column under another spelling (`true`) is not compared.
bool is_compared(const Schema& schema, std::size_t position) {
  return schema.axes[position].type != ColumnType::kBoolean;
}

bool has_value(const Schema& schema, const GridAxis& axis, std::size_t position, std::size_t value,
               const Row& row) {
  if (!is_compared(schema, position)) return axis.values[value].value == row.values[position];
  return axis.values[value].label == label_of(schema, axis, position, row);
}

}  // namespace

void require_on_axes(ResultsDatabase& results, const std::vector<GridAxis>& axes) {
  const Schema& schema = results.schema();
  if (!std::ranges::equal(axes, schema.axes, {}, &GridAxis::name, &Column::name)) {
    throw DatabaseError(
        fmt::format("{}: the axes of its study are not the axes of its runs", results.name()));
  }
  const Grid grid = grid_of(axes);
  results.for_each_row([&](const Row& row) {
    bool fits = row.run_index < grid.run_count();
    const Coordinates at = fits ? grid.coordinates(row.run_index) : Coordinates(axes.size());
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      labels.push_back(label_of(schema, axes[i], i, row));
      fits = fits && has_value(schema, axes[i], i, at[i], row);
    }
    if (fits) return;
    throw DatabaseError(fmt::format("{}: run {} ({}) is not what the study in it has there",
                                    results.name(), row.run_index, fmt::join(labels, ", ")));
  });
}

void mark_upper_bound(std::vector<GridAxis>& axes, std::string_view axis, std::string_view label) {
  for (AxisValue& value : axes[axis_position(axes, axis)].values) {
    if (value.label == label) value.needs_true_lifetimes = true;
  }
}

}  // namespace cospot
