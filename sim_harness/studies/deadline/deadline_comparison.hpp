#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/experiments/summary/mean_interval.hpp"

namespace cospot {

/// The runs of a strategy, summed up.
struct StrategyFigures {
  std::string name{};
  bool keeps_deadlines = true;  ///< whatever the capacity does, and without knowing it beforehand
  // Means over the runs.
  double cost = 0, restarts = 0, spot_hours = 0;
  std::size_t late = 0, runs = 0;
  /// USD, mean of the cases of each sample: a trace and a start in it. Runs of one sample see the
  /// same capacity, so they are not independent.
  std::map<std::size_t, double> cost_of_sample{};

  [[nodiscard]] bool can_be_used() const { return keeps_deadlines && late == 0 && runs > 0; }
};

/// What `cheaper` saves of what `dearer` costs, as a share of that: over the samples that both
/// have, sample by sample.
[[nodiscard]] MeanInterval saving_of(const StrategyFigures& cheaper, const StrategyFigures& dearer);

/// Whether a saving is above 0 beyond its interval; of one sample, which has none, above 0.
[[nodiscard]] bool is_saving(const MeanInterval& saving);

struct DeadlineComparison {
  std::vector<StrategyFigures> strategies{};  ///< in the order of the axis
  std::size_t samples = 0;
  double spot_price = 0, on_demand_price = 0;  ///< USD/h, where spots are dearest against on-demand

  /// Null: the study does not have it.
  [[nodiscard]] const StrategyFigures* find(std::string_view name) const;
  /// The cheapest that keeps deadlines; on_demand unless that saves beyond its interval. Null: the
  /// study has none.
  [[nodiscard]] const StrategyFigures* recommended() const;
  /// The cheapest of the others that could be used; null: there is none.
  [[nodiscard]] const StrategyFigures* next_to(const StrategyFigures& one) const;
};

[[nodiscard]] DeadlineComparison compare_strategies(ResultsDatabase& results);

}  // namespace cospot
