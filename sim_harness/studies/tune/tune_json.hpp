#pragma once

#include <optional>
#include <span>
#include <string>

#include "sim_harness/studies/tune/tune.hpp"
#include "sim_harness/studies/tune/tune_money.hpp"

namespace cospot {

/// What tune_text says, as JSON; docs/json.md describes its keys. Arguments as of tune_text;
/// money: with prices.
[[nodiscard]] std::string tune_json(const TuneSettings& settings,
                                    std::span<const TuneSample> samples, const TuneRuns& runs,
                                    const TuneOutcome& outcome, std::span<const TuneOutcome> folds,
                                    const std::optional<WholeWorkload>& whole,
                                    const std::optional<TuneMoney>& money = {});

}  // namespace cospot
