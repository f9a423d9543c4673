#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"
#include "sim_harness/provider/signals/signal_watch.hpp"

namespace cospot {

/// The output of `cospot signals` for one history.
struct SignalsReport {
  std::string history;      ///< as given to the command
  VcpusUnit unit{};         ///< of its vcpus
  std::string simulated{};  ///< a line with the hosts and the policies
  std::shared_ptr<const SignalWatch> watch{};
  StudySummary summary{};  ///< of the run's row for each signal
  bool shows_all = false;  ///< include signals without skill, and what was off
};

/// As text: the quality of each signal, and what customers can be told at the end of the history.
/// Omits signals without skill there, and probabilities in deciles that were off by more than
/// kMostGap, and says so.
[[nodiscard]] std::string signals_text(const SignalsReport& report);

/// As JSON (docs/json.md).
[[nodiscard]] Json signals_json(const SignalsReport& report);

}  // namespace cospot
