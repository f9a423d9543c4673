#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/experiments/grid/grid.hpp"
#include "sim_harness/experiments/summary/mean_interval.hpp"
#include "sim_harness/studies/broker/broker_figures.hpp"

namespace cospot {

/// The results of one run that count in the ranking.
struct SettingRun {
  double cost = 0;                              ///< USD
  double late = 0;                              ///< jobs that missed their deadline
  double revocations = 0;                       ///< instances
  double unfinished = 0;                        ///< jobs that were never done: late, and free
  std::optional<double> cost_per_useful_job{};  ///< USD; none: no job met its deadline
  double jobs = 0;                              ///< all of them
  OnDemandRun on_demand{};                      ///< the same jobs on on-demand instances alone

  friend bool operator==(const SettingRun&, const SettingRun&) = default;
};

[[nodiscard]] SettingRun setting_run_of(const BrokerFigures& figures);

/// A setting with its runs over all seeds; `at` is its index on every axis but the seed.
struct RankedSetting {
  Coordinates at{};
  std::map<std::size_t, SettingRun> runs{};  ///< by the seed's index on its axis
  // Over the seeds.
  MeanInterval cost{}, late{}, revocations{};
  std::optional<MeanInterval> cost_per_useful_job{};  ///< none: some seed had no job in time
  /// Jobs late beyond those late on on-demand instances alone: fraction of all jobs, paired by
  /// seed.
  MeanInterval more_late{};
  double unfinished = 0;  ///< jobs: mean
  /// Fraction of the cost of on-demand alone, paired by seed. Says nothing with unfinished jobs.
  MeanInterval saving{};
  /// The excess of its cost per useful job over the setting it is compared with, as a fraction of
  /// the latter's: over the seeds that both have, paired by seed, which share prices and jobs.
  std::optional<MeanInterval> to_best{};

  /// True if the interval of `to_best` excludes 0. With one seed there is no interval.
  [[nodiscard]] bool is_told_apart() const;
  /// True if it keeps the limit of lateness: `more_late` is at most `allowed`, and no job is left
  /// undone in any seed, since work that is never done costs nothing.
  [[nodiscard]] bool keeps_limit(double allowed) const;
  /// True if it finishes all jobs and saves money, with an interval above 0.
  [[nodiscard]] bool beats_on_demand() const;
};

/// The ranking of `cospot compare`, `cospot summary` and `cospot broker recommend`: settings that
/// keep the limit first, then lowest cost per useful job; ties keep their order. Fills in
/// everything but `at` and `runs`; compares with the first. Args: allowed: maximum mean fraction of
/// late jobs beyond those late on on-demand instances alone.
void rank_settings(std::vector<RankedSetting>& settings, double allowed);

/// Moves the best to the front of ranked settings: of those that keep the limit and do not differ
/// significantly from the cheapest, the one whose dearest seed costs least per useful job.
void prefer_least_risk(std::vector<RankedSetting>& ranked, double allowed);

/// The limit in words: `at most 1.00% of the jobs late in excess of on-demand ...`.
[[nodiscard]] std::string lateness_limit_text(double allowed);

/// `64.9 +/- 0.6% less than on-demand`, or `3.5 jobs left undone`, which save nothing.
[[nodiscard]] std::string saving_text(const RankedSetting& setting);
/// The saving for a table: `64.9 +/- 0.6%`, or `undone`.
[[nodiscard]] std::string saving_cell_text(const RankedSetting& setting);
/// The saving as JSON: null with unfinished jobs.
[[nodiscard]] Json saving_json(const RankedSetting& setting);

/// `5.4 +/- 0.3%`
[[nodiscard]] std::string percent_text(const MeanInterval& share);

/// A value computed from two runs of one seed.
using PairValue = std::function<double(const SettingRun&, const SettingRun&)>;

/// The value over the seeds that both have.
[[nodiscard]] MeanInterval paired(const RankedSetting& a, const RankedSetting& b,
                                  const PairValue& value);

/// Sets `to_best` of `setting` to its difference from `best`; they must share a seed.
void compare_setting(RankedSetting& setting, const RankedSetting& best);

/// `0.0274 +/- 0.0010`; no interval if there is one seed.
[[nodiscard]] std::string interval_text(const MeanInterval& mean, int decimals);

/// The same of what cannot be negative: an interval that would begin below 0 is "3.10 (0.00 to
/// 7.40)".
[[nodiscard]] std::string cost_text(const MeanInterval& cost, int decimals);

/// `+4.5 +/- 1.0%`, with `not significant` if the interval contains 0.
[[nodiscard]] std::string to_best_text(const RankedSetting& setting);

}  // namespace cospot
