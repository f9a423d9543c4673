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

/// The results of one run that count in the ranking.
struct SettingRun {
  double cost = 0;                              ///< USD
  double late = 0;                              ///< jobs that missed their deadline
  double revocations = 0;                       ///< instances
  std::optional<double> cost_per_useful_job{};  ///< USD; none: no job met its deadline

  friend bool operator==(const SettingRun&, const SettingRun&) = default;
};

/// A setting with its runs over all seeds; `at` is its index on every axis but the seed.
struct RankedSetting {
  Coordinates at{};
  std::map<std::size_t, SettingRun> runs{};  ///< by the seed's index on its axis
  // Over the seeds.
  MeanInterval cost{}, late{}, revocations{};
  std::optional<MeanInterval> cost_per_useful_job{};  ///< none: some seed had no job in time
  /// The excess of its cost per useful job over the setting it is compared with, as a fraction of
  /// the latter's: over the seeds that both have, paired by seed, which share prices and jobs.
  std::optional<MeanInterval> to_best{};

  /// Whether the interval of `to_best` excludes 0. With one seed there is no interval.
  [[nodiscard]] bool is_told_apart() const;
};

/// The ranking of `cospot summary` and `cospot broker recommend`: lowest cost per useful job first;
/// ties keep their order. Fills in everything but `at` and `runs`; compares with the first.
void rank_settings(std::vector<RankedSetting>& settings);

/// A value computed from two runs of one seed.
using PairValue = std::function<double(const SettingRun&, const SettingRun&)>;

/// The value over the seeds that both have.
[[nodiscard]] MeanInterval paired(const RankedSetting& a, const RankedSetting& b,
                                  const PairValue& value);

/// Sets `to_best` of `setting` to its difference from `best`; they must share a seed.
void compare_setting(RankedSetting& setting, const RankedSetting& best);

/// `0.0274 +/- 0.0010`; no interval if there is one seed.
[[nodiscard]] std::string interval_text(const MeanInterval& mean, int decimals);

/// `+4.5 +/- 1.0%`, with `not significant` if the interval contains 0.
[[nodiscard]] std::string to_best_text(const RankedSetting& setting);

}  // namespace cospot
