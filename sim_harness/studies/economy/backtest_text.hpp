#pragma once

#include <string>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/studies/economy/backtest_report.hpp"

namespace cospot {

// The output of `cospot economy backtest` and `plan`, as text and as JSON (docs/json.md).

[[nodiscard]] std::string backtest_text(const EconomyInput& input, const EconomySettings& settings,
                                        const BacktestRequest& request,
                                        const BacktestReport& report);
[[nodiscard]] Json backtest_json(const EconomyInput& input, const EconomySettings& settings,
                                 const BacktestRequest& request, const BacktestReport& report);
/// Returns what can be promised, or why nothing can, in a sentence.
[[nodiscard]] std::string answer_text(const EconomyInput& input, const EconomySettings& settings,
                                      const EconomyPlan& plan, const PlannedPromise& promise);
[[nodiscard]] std::string plan_text(const EconomyInput& input, const EconomySettings& settings,
                                    const EconomyPlan& plan, const std::string& currency = {});
[[nodiscard]] Json plan_json(const EconomyInput& input, const EconomySettings& settings,
                             double price, const EconomyPlan& plan);

}  // namespace cospot
