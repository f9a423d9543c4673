#pragma once

#include <cstddef>
#include <vector>

namespace cospot {

/// One prediction: all periods before `begin` are known, those in [begin, end) are promised.
struct PredictionCycle {
  std::size_t begin = 0;
  std::size_t end = 0;

  friend bool operator==(const PredictionCycle&, const PredictionCycle&) = default;
};

/// The times at which predictions are made, in periods.
struct CycleSettings {
  std::size_t training = 274;  ///< known before the first prediction: 9 months of days
  std::size_t horizon = 182;   ///< promised: 6 months
  std::size_t step = 182;      ///< from one prediction to the next
};

/// The cycles that fit into `periods`: the first after `training`, then every `step`, each with a
/// whole horizon. Source: Carvalho et al., section 4.3.
[[nodiscard]] inline std::vector<PredictionCycle> prediction_cycles(std::size_t periods,
                                                                    const CycleSettings& settings) {
  std::vector<PredictionCycle> cycles;
  for (std::size_t begin = settings.training; begin + settings.horizon <= periods;
       begin += settings.step) {
    cycles.push_back({begin, begin + settings.horizon});
  }
  return cycles;
}

}  // namespace cospot
