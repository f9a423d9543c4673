#pragma once

#include <string>

#include "sim_harness/experiments/summary/study_summary.hpp"
#include "sim_harness/provider/signals/signal_settings.hpp"

namespace cospot {

/// `4 fit within 10 min`, `lives 6 h or longer`, `evicted within 10 min`.
[[nodiscard]] std::string signal_words(const SignalQuestion& question);

/// The output of `cospot summary` for the study `signals`: for each signal its Brier score and that
/// of the base rate, its skill and whether that is significant, and the observed frequency by
/// forecast decile.
[[nodiscard]] StudySummary signals_summary(ResultsDatabase& results, Timing timing);

/// The same without the line of shared settings, for callers that have printed it.
[[nodiscard]] StudySummary signals_summary_of_one_run(ResultsDatabase& results);

}  // namespace cospot
