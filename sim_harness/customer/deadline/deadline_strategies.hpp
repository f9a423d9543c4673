#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sim_harness/customer/deadline/deadline_run.hpp"
#include "sim_harness/customer/deadline/spell_history.hpp"

namespace cospot {

/// One row of the registry of strategies.
struct DeadlineStrategyEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  bool safety_net = true;  ///< without it, it may be late, or is a bound that nobody can use
  /// `history`: what is known of the capacity beforehand. `run` outlives the strategy.
  std::unique_ptr<DeadlineStrategy> (*make)(const DeadlineCase& run, const SpellHistory& history);
  bool uses_signals = false;  ///< of the provider: `history` has the rates that these tell
};

[[nodiscard]] std::span<const DeadlineStrategyEntry> deadline_strategies();

/// Errors: ConfigError that names the valid ones.
[[nodiscard]] const DeadlineStrategyEntry& find_deadline_strategy(std::string_view name);

}  // namespace cospot
