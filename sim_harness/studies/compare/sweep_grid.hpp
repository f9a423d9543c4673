#pragma once

#include <cstddef>

#include "sim_harness/experiments/grid/grid.hpp"
#include "sim_harness/studies/compare/sweep.hpp"

namespace cospot {

/// A run's position on every axis of a sweep.
struct RunCoordinates {
  std::size_t workload = 0;
  std::size_t size = 0;
  std::size_t vm = 0;
  std::size_t spot = 0;
  std::size_t evictor = 0;
  std::size_t saf = 0;
  std::size_t otn = 0;

  friend bool operator==(const RunCoordinates&, const RunCoordinates&) = default;
};

/// The grid of a sweep: workload slowest, then headroom, VM, spot, evictor, SAF, and OTN fastest.
/// Runs that share workload, headroom, VM and spot chain are a group.
class SweepGrid {
 public:
  /// The first axes, which the runs of a group share.
  static constexpr std::size_t kGroupAxes = 4;

  /// Errors: ConfigError when there are more than Grid::kMaxRuns runs.
  explicit SweepGrid(const Sweep& sweep);

  [[nodiscard]] std::size_t run_count() const { return grid_.run_count(); }
  [[nodiscard]] std::size_t group_count() const { return grid_.group_count(); }
  [[nodiscard]] RunCoordinates coordinates(std::size_t run_index) const;
  [[nodiscard]] std::size_t run_index(const RunCoordinates& run) const;
  [[nodiscard]] RunGroup group(std::size_t group_index) const { return grid_.group(group_index); }

 private:
  Grid grid_;
};

/// What a run needs beside its workload. `hosts` is the size that the headroom amounts to.
[[nodiscard]] RunSettings run_settings(const Sweep& sweep, const RunCoordinates& run,
                                       std::size_t hosts);

}  // namespace cospot
