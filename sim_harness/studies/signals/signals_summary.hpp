#pragma once

#include <string>

#include "sim_harness/experiments/summary/study_summary.hpp"
#include "sim_harness/provider/signals/signal_settings.hpp"

namespace cospot {

/// `4 fit within 10 min`, `lives 6 h or longer`, `evicted within 10 min`.
[[nodiscard]] std::string signal_words(const SignalQuestion& question);

/// What `cospot summary` says of the study `signals`: for each signal its Brier score beside that
/// of the base rate, its skill and whether that is told from 0, and how often what was forecast
/// happened, by decile.
[[nodiscard]] StudySummary signals_summary(ResultsDatabase& results, Timing timing);

/// The same without the line of the settings that all signals share, for who has printed them.
[[nodiscard]] StudySummary signals_summary_of_one_run(ResultsDatabase& results);

}  // namespace cospot
