#pragma once

#include <vector>

#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/provider/signals/signal_settings.hpp"

namespace cospot {

[[nodiscard]] AxisValue axis_value(const SignalQuestion& question);
[[nodiscard]] Json setting_json(const SignalQuestion& question);

/// The signal settings of a study file.
struct SignalSettings {
  std::vector<SignalQuestion> signals{default_signals()};
  SignalTimes signal_times{};
};

extern const Axis<SignalSettings, SignalQuestion> kSignalAxis;

/// The times at which signals are given, and the folds over which they are scored.
[[nodiscard]] Setting<SignalSettings> signal_times_setting();

/// Its entry of study_parts().
[[nodiscard]] struct StudyPart signals_part();

}  // namespace cospot
