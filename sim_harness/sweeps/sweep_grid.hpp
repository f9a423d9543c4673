#pragma once

#include <cstddef>
#include <string_view>

#include "sim_harness/sweeps/sweep.hpp"

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

/// The runs that share workload, headroom, VM and spot chain: consecutive run indices. They are
/// the unit of work, because such runs have a common beginning that is simulated once.
struct RunGroup {
  std::size_t index = 0;
  std::size_t workload = 0;
  std::size_t size = 0;
  std::size_t vm = 0;
  std::size_t spot = 0;
  std::size_t first_run = 0;
  std::size_t run_count = 0;
};

/// The cross product of a sweep's axes, numbered from 0 in grid order: workload slowest, then
/// headroom, VM, spot, evictor, SAF, and OTN fastest.
class SweepGrid {
 public:
  /// Errors: ConfigError when there are more than kMaxRuns runs.
  explicit SweepGrid(const Sweep& sweep);

  static constexpr std::size_t kMaxRuns = 100'000'000;

  [[nodiscard]] std::size_t run_count() const { return group_count_ * runs_per_group_; }
  [[nodiscard]] std::size_t group_count() const { return group_count_; }
  [[nodiscard]] RunCoordinates coordinates(std::size_t run_index) const;
  [[nodiscard]] std::size_t run_index(const RunCoordinates& run) const;
  [[nodiscard]] RunGroup group(std::size_t group_index) const;

 private:
  RunCoordinates lengths_;  ///< the number of values of every axis
  std::size_t group_count_ = 0;
  std::size_t runs_per_group_ = 0;
};

/// What a run needs beside its workload. `hosts` is the size that the headroom amounts to.
[[nodiscard]] RunSettings run_settings(const Sweep& sweep, const RunCoordinates& run,
                                       std::size_t hosts);

/// One of several machines' part of a sweep: the groups are dealt to them in turn.
struct Shard {
  std::size_t number = 1;  ///< 1 .. count
  std::size_t count = 1;

  [[nodiscard]] bool holds(const RunGroup& group) const {
    return group.index % count == number - 1;
  }
};

/// Reads `I/N`, for example `2/3`. Errors: ConfigError.
[[nodiscard]] Shard parse_shard(std::string_view text);

}  // namespace cospot
