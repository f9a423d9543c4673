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

/// Values by run, of one figure; none: the run has none.
using RunValues = std::vector<std::optional<double>>;

/// Figures of all runs that are there.
struct RunFigures {
  std::vector<std::size_t> runs{};  ///< run_index, ascending
  std::vector<RunValues> values{};  ///< by figure
};

/// Whether means are over the values of an axis: workloads and seeds are samples, not settings.
[[nodiscard]] bool is_sample_axis(std::span<const GridAxis> axes, std::string_view name);

[[nodiscard]] RunFigures read_figures(ResultsDatabase& results, std::span<const Figure> figures);

/// `saf on`, of which programs get true; of the datacenter size `2%` or `500 hosts`.
[[nodiscard]] SummaryCell setting_cell(const Column& column, const GridAxis& axis,
                                       std::size_t position);

/// A number as people read it, with its unit.
[[nodiscard]] std::string figure_text(const Figure& figure, double value);

/// A mean with its interval; `-` and null where there is none.
[[nodiscard]] SummaryCell mean_cell(const Figure& figure, const std::optional<MeanInterval>& mean);

/// A table with a row for every combination of settings: those of the axes but `workload` (unless
/// spots have workloads of their own) and `seed`, over which its figures are averaged.
///
/// An interval is over the workloads, each the mean of its seeds, or over the seeds of a single
/// one.
class MeansTable {
 public:
  MeansTable(ResultsDatabase& results, std::span<const std::size_t> runs);

  void add(const Figure& figure, const RunValues& values);

  /// A column of another kind, of the positions of a combination's runs.
  void add(SummaryColumn column,
           const std::function<SummaryCell(std::span<const std::size_t> runs)>& cell);

  /// Changes what a setting is called, of the positions of a combination's runs.
  void rewrite(std::string_view setting,
               const std::function<void(SummaryCell& cell, std::span<const std::size_t> runs)>& to);

  /// Over runs of one combination or of several: over the workloads, each the mean of its runs, or
  /// over the seeds of a single one.
  [[nodiscard]] std::optional<MeanInterval> mean(const RunValues& values,
                                                 std::span<const std::size_t> runs) const;

  /// Settings that all combinations share, as a line, and over what the means are; or nothing.
  [[nodiscard]] std::string heading() const;

  /// `the workloads and seeds`
  [[nodiscard]] std::string means_over() const;

  [[nodiscard]] const SummaryTable& table() const { return table_; }

  /// The positions of the runs of every row.
  [[nodiscard]] std::span<const std::vector<std::size_t>> combinations() const {
    return combinations_;
  }

  /// How many of the first columns are settings.
  [[nodiscard]] std::size_t settings() const { return settings_; }

  /// Whether a row has a setting that nobody can choose: an upper bound.
  [[nodiscard]] bool is_bound(std::size_t row) const { return is_bound_[row]; }

 private:
  std::vector<std::size_t> workload_of_;  ///< by position of the run
  std::vector<std::size_t> seed_of_;      ///< the same
  std::vector<std::vector<std::size_t>> combinations_;
  std::vector<bool> is_bound_;
  SummaryTable table_;
  std::size_t settings_ = 0;  ///< columns that tell combinations apart
  std::size_t workloads_ = 1, seeds_ = 1;
  bool has_workloads_ = false;
};

}  // namespace cospot
