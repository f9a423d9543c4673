#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sim_harness/experiments/money/study_money.hpp"
#include "sim_harness/experiments/results/measure.hpp"
#include "sim_harness/provider/run/timeline_day.hpp"

namespace cospot {

/// The columns of the table `timeline` of a study of the provider's datacenter.
[[nodiscard]] std::vector<Measure<TimelineDay>> timeline_measures(bool has_economy);

/// The price at which a revenue column is sold; nothing for other columns.
[[nodiscard]] std::optional<PriceKind> price_of_timeline(std::string_view column);

}  // namespace cospot
