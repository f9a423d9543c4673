#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/experiments/summary/mean_interval.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"

namespace cospot {

/// The values of one figure by run; none: the run has no value.
using RunValues = std::vector<std::optional<double>>;

/// The figures of all finished runs.
struct RunFigures {
  std::vector<std::size_t> runs{};  ///< run_index, ascending
  std::vector<RunValues> values{};  ///< by figure
};

/// True if means are taken over an axis: workloads and seeds are samples, not settings.
[[nodiscard]] bool is_sample_axis(std::span<const GridAxis> axes, std::string_view name);

[[nodiscard]] RunFigures read_figures(ResultsDatabase& results, std::span<const Figure> figures);

/// `saf on`, with true in JSON; for a datacenter size, `2%` or `500 hosts`.
[[nodiscard]] SummaryCell setting_cell(const Column& column, const GridAxis& axis,
                                       std::size_t position);

/// A number with its unit, formatted for people.
[[nodiscard]] std::string figure_text(const Figure& figure, double value);

/// The mean of the runs that have a value, as a database's views compute it.
[[nodiscard]] std::optional<double> plain_mean(const RunValues& values,
                                               std::span<const std::size_t> runs);

/// A mean with its interval; `-` and null if there is none.
[[nodiscard]] SummaryCell mean_cell(const Figure& figure, const std::optional<MeanInterval>& mean);

/// A table with one row per combination of settings: all axes except `workload` (unless spots have
/// their own workloads) and `seed`, over which figures are averaged.
///
/// An interval is over the workloads, each the mean of its seeds; with a single workload, over its
/// seeds.
class MeansTable {
 public:
  MeansTable(ResultsDatabase& results, std::span<const std::size_t> runs);

  void add(const Figure& figure, const RunValues& values);

  /// Adds a column computed from the positions of a combination's runs.
  void add(SummaryColumn column,
           const std::function<SummaryCell(std::span<const std::size_t> runs)>& cell);

  /// Renames a setting, given the positions of a combination's runs.
  void rewrite(std::string_view setting,
               const std::function<void(SummaryCell& cell, std::span<const std::size_t> runs)>& to);

  /// The mean over runs of one or more combinations: over the workloads, each the mean of its runs;
  /// with a single workload, over its seeds.
  [[nodiscard]] std::optional<MeanInterval> mean(const RunValues& values,
                                                 std::span<const std::size_t> runs) const;

  /// The same for the sum of some values by that of others (ratio_interval).
  [[nodiscard]] std::optional<MeanInterval> ratio(const RunValues& values, const RunValues& by,
                                                  std::span<const std::size_t> runs) const;

  /// A line with the settings that all combinations share and what the means are over, or empty.
  [[nodiscard]] std::string heading() const;

  /// `the workloads and seeds`
  [[nodiscard]] std::string means_over() const;

  [[nodiscard]] const SummaryTable& table() const { return table_; }

  /// The positions of each row's runs.
  [[nodiscard]] std::span<const std::vector<std::size_t>> combinations() const {
    return combinations_;
  }

  /// The number of leading columns that are settings.
  [[nodiscard]] std::size_t settings() const { return settings_; }

  /// The number of workloads.
  [[nodiscard]] std::size_t workloads() const;

  /// The column of a setting, by the name of its axis.
  [[nodiscard]] std::size_t setting(std::string_view axis) const;

  /// True if a row has a setting that cannot be deployed: an upper bound.
  [[nodiscard]] bool is_bound(std::size_t row) const { return is_bound_[row]; }

 private:
  /// The means of the samples: of the workloads, or of the seeds of a single one.
  [[nodiscard]] std::vector<double> samples(const RunValues& values,
                                            std::span<const std::size_t> runs) const;

  std::vector<std::size_t> workload_of_;  ///< by position of the run
  std::vector<std::size_t> seed_of_;      ///< by position of the run
  std::vector<std::vector<std::size_t>> combinations_;
  std::vector<bool> is_bound_;
  SummaryTable table_;
  std::size_t settings_ = 0;  ///< columns that identify a combination
  std::size_t workloads_ = 1, seeds_ = 1;
  bool has_workloads_ = false;
};

}  // namespace cospot
