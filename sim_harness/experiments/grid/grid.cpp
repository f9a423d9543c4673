#include "sim_harness/experiments/grid/grid.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "core/parse_number.hpp"

namespace cospot {
Grid::Grid(std::vector<std::size_t> lengths, std::size_t group_axes)
    : lengths_(std::move(lengths)) {
  std::size_t product = 1;
  for (std::size_t axis = 0; axis < lengths_.size(); ++axis) {
    const std::size_t length = lengths_[axis];
    if (length != 0 && product > kMostRuns / length) {
      throw ConfigError(fmt::format("the study has more than {} runs", kMostRuns));
    }
    product *= length;
    (axis < group_axes ? group_count_ : runs_per_group_) *= length;
  }
}

std::size_t axis_position(std::span<const GridAxis> axes, std::string_view name) {
  const auto found = std::ranges::find(axes, name, &GridAxis::name);
  if (found != axes.end()) return static_cast<std::size_t>(found - axes.begin());
  throw std::logic_error("there is no axis " + std::string(name));
}

Grid grid_of(std::span<const GridAxis> axes, std::size_t group_axes) {
  std::vector<std::size_t> lengths;
  for (const GridAxis& axis : axes) lengths.push_back(axis.values.size());
  return {std::move(lengths), group_axes};
}

Coordinates Grid::coordinates(std::size_t run_index) const {
  Coordinates run(lengths_.size());
  for (std::size_t axis = lengths_.size(); axis-- > 0;) {
    run[axis] = run_index % lengths_[axis];
    run_index /= lengths_[axis];
  }
  return run;
}

std::size_t Grid::run_index(const Coordinates& run) const {
  std::size_t index = 0;
  for (std::size_t axis = 0; axis < lengths_.size(); ++axis) {
    index = index * lengths_[axis] + run.at(axis);
  }
  return index;
}

RunGroup Grid::group(std::size_t group_index) const {
  return {group_index, group_index * runs_per_group_, runs_per_group_};
}

Shard parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto number = parse_integer<std::size_t>(text.substr(0, slash));
    const auto count = parse_integer<std::size_t>(text.substr(slash + 1));
    if (number && count && *number >= 1 && *number <= *count) return {*number, *count};
  }
  throw ConfigError(fmt::format(
      "--shard {}: expected I/N with 1 <= I <= N, for example 1/3 for the first of three", text));
}

}  // namespace cospot
