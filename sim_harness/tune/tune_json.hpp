#pragma once

#include <optional>
#include <string>

#include "sim_harness/tune/tune_money.hpp"
#include "sim_harness/tune/tune_text.hpp"

namespace cospot {

/// What tune_text says, as JSON; docs/json.md describes its keys. money: with prices.
[[nodiscard]] std::string tune_json(const TuneFindings& findings,
                                    const std::optional<TuneMoney>& money = {});

}  // namespace cospot
