#pragma once

#include <optional>

#include "guarantees/signals/forecast_score.hpp"
#include "sim_harness/provider/signals/signal_settings.hpp"

namespace cospot {

/// Of one signal, how good it was.
struct SignalScore {
  SignalQuestion question{};
  ForecastScore score;
  /// Of kObtainable: where they did not fit at the moment, so that the answer was open.
  std::optional<ForecastScore> when_full{};
};

}  // namespace cospot
