#pragma once

#include <cstddef>

#include "sim_harness/customer/deadline/deadline_run.hpp"
#include "sim_harness/data/markets/availability_trace.hpp"

namespace cospot {

/// What a provider could quote of the ticks before `end`: the mean times with capacity and without.
/// One time of 4 hours each is taken for seen before the first tick, so that there is a quote also
/// where there is no history; a week of it leaves nothing of that.
[[nodiscard]] CapacityQuote quote_of(const AvailabilityTrace& trace, std::size_t end);

}  // namespace cospot
