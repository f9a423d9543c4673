#pragma once

#include <optional>
#include <string>

#include "sim_harness/advise/tune_money.hpp"
#include "sim_harness/advise/tune_text.hpp"

namespace cospot {

/// A candidate and its results on the training and held-out samples of `search`.
[[nodiscard]] Json setting_json(const TuneFindings& findings, std::size_t candidate,
                                const TuneOutcome& search);

/// The content of tune_text as JSON; docs/json.md describes its keys. `money` requires prices.
[[nodiscard]] Json tune_json(const TuneFindings& findings,
                             const std::optional<TuneMoney>& money = {});

}  // namespace cospot
