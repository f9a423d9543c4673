#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sim_harness/customer/deadline/deadline_run.hpp"
#include "sim_harness/customer/deadline/spell_history.hpp"

namespace cospot {

/// An entry of the registry of strategies.
struct DeadlineStrategyEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  bool safety_net = true;  ///< false: it may be late, or is a bound that cannot be deployed
  /// `history` is what is known about the capacity in advance. `run` outlives the strategy.
  std::unique_ptr<DeadlineStrategy> (*make)(const DeadlineCase& run, const SpellHistory& history);
};

[[nodiscard]] std::span<const DeadlineStrategyEntry> deadline_strategies();

/// Errors: ConfigError that lists the valid names.
[[nodiscard]] const DeadlineStrategyEntry& find_deadline_strategy(std::string_view name);

}  // namespace cospot
