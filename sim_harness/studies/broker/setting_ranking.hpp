#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/experiments/grid/grid.hpp"
#include "sim_harness/experiments/summary/mean_interval.hpp"

namespace cospot {

/// What one run came to, as far as settings are ranked by it.
struct SettingRun {
  double cost = 0;                              ///< USD
  double late = 0;                              ///< jobs that missed their deadline
  double revocations = 0;                       ///< instances
  std::optional<double> cost_per_useful_job{};  ///< USD; none: no job met its deadline

  friend bool operator==(const SettingRun&, const SettingRun&) = default;
};

/// One way to run the jobs, over its seeds: `at` is its place on every axis but the seed.
struct RankedSetting {
  Coordinates at{};
  std::map<std::size_t, SettingRun> runs{};  ///< by the seed's place on its axis
  // Over the seeds.
  MeanInterval cost{}, late{}, revocations{};
  std::optional<MeanInterval> cost_per_useful_job{};  ///< none: with a seed no job was in time
  /// Its cost per useful job beyond that of the setting that it is compared with, as a share of
  /// that: over the seeds that both have, seed by seed, because these share prices and jobs.
  std::optional<MeanInterval> to_best{};

  /// Whether the interval of `to_best` leaves out 0. One seed has no interval and tells nothing.
  [[nodiscard]] bool is_told_apart() const;
};

/// The rule by which `cospot summary` and `cospot broker recommend` rank: least cost per useful job
/// first, of equals the first setting. Fills in everything but `at` and `runs`; compares with the
/// first.
void rank_settings(std::vector<RankedSetting>& settings);

/// A value of two runs of one seed.
using PairValue = std::function<double(const SettingRun&, const SettingRun&)>;

/// The value over the seeds that both have.
[[nodiscard]] MeanInterval paired(const RankedSetting& a, const RankedSetting& b,
                                  const PairValue& value);

/// Sets `to_best` of `setting` to its difference to `best`; the two share a seed.
void compare_setting(RankedSetting& setting, const RankedSetting& best);

/// `0.0274 +/- 0.0010`; without an interval where there is one seed.
[[nodiscard]] std::string interval_text(const MeanInterval& mean, int decimals);

/// `+4.5 +/- 1.0%`, with `not significant` where its interval has 0 in it.
[[nodiscard]] std::string to_best_text(const RankedSetting& setting);

}  // namespace cospot
