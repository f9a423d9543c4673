#pragma once

#include <optional>

#include "guarantees/signals/forecast_score.hpp"
#include "sim_harness/provider/signals/signal_settings.hpp"

namespace cospot {

/// The quality of one signal.
struct SignalScore {
  SignalQuestion question{};
  ForecastScore score;
  /// For kObtainable: only cases where they did not fit at the moment, so that the answer was open.
  std::optional<ForecastScore> when_full{};
};

}  // namespace cospot
