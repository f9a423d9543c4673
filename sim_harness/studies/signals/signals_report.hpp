#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim_harness/data/markets/flavor_prices.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"
#include "sim_harness/provider/signals/signal_watch.hpp"

namespace cospot {

/// What `cospot signals` prints of one history.
struct SignalsReport {
  std::string history;      ///< as the command has it
  VcpusUnit unit{};         ///< of its vcpus
  std::string simulated{};  ///< a line: on which hosts and by which policies
  std::shared_ptr<const SignalWatch> watch{};
  StudySummary summary{};                    ///< of the run's row for each signal
  std::vector<FlavorPriceHistory> prices{};  ///< of the provider's file, if there is one
  bool shows_all = false;                    ///< signals without skill too
};

/// For people: how good each signal was, and what customers may be told at the end of the history.
/// Signals without skill are left out there, and that is said.
[[nodiscard]] std::string signals_text(const SignalsReport& report);

/// For programs (docs/json.md).
[[nodiscard]] Json signals_json(const SignalsReport& report);

}  // namespace cospot
