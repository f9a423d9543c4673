#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/experiments/summary/mean_interval.hpp"

namespace cospot {

/// A history and the start of a job in it, in hours.
using Sample = std::pair<std::string, double>;

/// The aggregated runs of a strategy on an instance type.
struct StrategyFigures {
  std::string name{};
  std::string type{};           ///< empty: the traces state none
  bool keeps_deadlines = true;  ///< regardless of the capacity, and without knowing it in advance
  // Means over the runs.
  double cost = 0, restarts = 0, spot_hours = 0;
  std::size_t late = 0, runs = 0;
  std::size_t net_before_loss = 0;  ///< runs whose safety net began before any loss of capacity
  /// USD, mean over the cases of each sample (a history and a start in it). Runs of one sample
  /// share its capacity, so they are not independent.
  std::map<Sample, double> cost_of_sample{};
  std::map<std::string, std::string> now{};  ///< by job: what to run first now
  double longest_hours = 0;                  ///< the longest deadline

  [[nodiscard]] bool can_be_used() const { return keeps_deadlines && late == 0 && runs > 0; }
};

/// The number of samples without a common hour, if each lasts `hours`: samples of one history are
/// taken in order of their starts, and one that overlaps the last is left out.
[[nodiscard]] std::size_t independent_samples(const std::map<Sample, double>& samples,
                                              double hours);

/// The mean cost over the samples, with the interval of those that do not overlap.
[[nodiscard]] MeanInterval cost_interval(const StrategyFigures& one);

/// The saving of `cheaper` as a fraction of the cost of `dearer`, paired over the samples that both
/// have.
[[nodiscard]] MeanInterval saving_of(const StrategyFigures& cheaper, const StrategyFigures& dearer);

/// True if a saving's interval is above 0; with one sample, if the saving is.
[[nodiscard]] bool is_saving(const MeanInterval& saving);

struct DeadlineComparison {
  std::vector<StrategyFigures> strategies{};  ///< type by type, in the order of the axis
  std::size_t samples = 0, independent = 0, histories = 0;
  /// USD/h, for the case with the dearest spots relative to on-demand.
  double spot_price = 0, on_demand_price = 0;

  [[nodiscard]] bool has_types() const;  ///< false without runs
  /// The figures on a type; null: not in the study.
  [[nodiscard]] const StrategyFigures* find(std::string_view name, std::string_view type) const;
  /// On the type on which its mean cost is lowest; null: not in the study.
  [[nodiscard]] const StrategyFigures* find(std::string_view name) const;
  /// The cheapest strategy that keeps deadlines; on_demand unless the saving's interval is above 0.
  /// Null: the study has none.
  [[nodiscard]] const StrategyFigures* recommended() const;
  /// The cheapest other strategy that can be used; null: none.
  [[nodiscard]] const StrategyFigures* next_to(const StrategyFigures& one) const;
};

[[nodiscard]] DeadlineComparison compare_strategies(ResultsDatabase& results);

}  // namespace cospot
