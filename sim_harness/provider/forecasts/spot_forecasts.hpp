#pragma once

#include <memory>
#include <vector>

#include "core/model/host_table.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/forecast_owner.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// All forecasts that the policies of a spot chain need for a run on `hosts`; null if they need
/// none. `schedule` outlives it. Errors: ConfigError (make_lifetime_forecast).
[[nodiscard]] std::unique_ptr<ForecastOwner> make_spot_forecasts(const EventSchedule& schedule,
                                                                 const HostTable& hosts,
                                                                 const ChainSpec& spot);

/// Combines several owners into one; null if all of them are.
[[nodiscard]] std::unique_ptr<ForecastOwner> combine_forecasts(
    std::vector<std::unique_ptr<ForecastOwner>> owners);

/// Tells whether make_spot_forecasts makes any.
[[nodiscard]] bool needs_spot_forecasts(const ChainSpec& spot);

}  // namespace cospot
