#pragma once

#include <optional>
#include <string>

#include "sim_harness/tune/tune_money.hpp"
#include "sim_harness/tune/tune_text.hpp"

namespace cospot {

/// A candidate, and what it came to on the samples that `search` trained with and held out.
[[nodiscard]] Json setting_json(const TuneFindings& findings, std::size_t candidate,
                                const TuneOutcome& search);

/// What tune_text says, as JSON; docs/json.md describes its keys. money: with prices.
[[nodiscard]] Json tune_json(const TuneFindings& findings,
                             const std::optional<TuneMoney>& money = {});

}  // namespace cospot
