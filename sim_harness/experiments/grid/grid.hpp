#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "sim_harness/experiments/results/experiment_record.hpp"

namespace cospot {

/// Runs of a grid that are simulated together: consecutive run indices. They are the unit of work
/// and of sharding, because they share a beginning that is simulated once.
struct RunGroup {
  std::size_t index = 0;
  std::size_t first_run = 0;
  std::size_t run_count = 0;
};

/// An index on every axis, slowest first.
using Coordinates = std::vector<std::size_t>;

/// The cross product of several axes, numbered from 0 in grid order: the first axis varies slowest,
/// the last one fastest. Runs that agree on the first `group_axes` axes form a group.
class Grid {
 public:
  /// Args: lengths: the number of values of each axis. Errors: ConfigError if there are more than
  /// kMostRuns runs.
  Grid(std::vector<std::size_t> lengths, std::size_t group_axes);

  [[nodiscard]] std::size_t run_count() const { return group_count_ * runs_per_group_; }
  [[nodiscard]] std::size_t group_count() const { return group_count_; }
  [[nodiscard]] Coordinates coordinates(std::size_t run_index) const;
  [[nodiscard]] std::size_t run_index(const Coordinates& run) const;
  [[nodiscard]] RunGroup group(std::size_t group_index) const;

 private:
  std::vector<std::size_t> lengths_;
  std::size_t group_count_ = 1;
  std::size_t runs_per_group_ = 1;
};

/// One machine's part of an experiment: groups are assigned to shards in turn.
struct Shard {
  std::size_t number = 1;  ///< 1 .. count
  std::size_t count = 1;

  [[nodiscard]] bool holds(const RunGroup& group) const {
    return group.index % count == number - 1;
  }
};

/// The grid of these axes.
[[nodiscard]] Grid grid_of(std::span<const GridAxis> axes, std::size_t group_axes = 0);

/// The index of an axis. Errors: std::logic_error.
[[nodiscard]] std::size_t axis_position(std::span<const GridAxis> axes, std::string_view name);

/// Parses `I/N`, for example `2/3`. Errors: ConfigError.
[[nodiscard]] Shard parse_shard(std::string_view text);

}  // namespace cospot
