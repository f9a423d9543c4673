#pragma once

#include <filesystem>

#include "core/model/sim_time.hpp"
#include "sim_harness/data/markets/availability_trace.hpp"

namespace cospot {

/// What a customer sees of the spot capacity of a CoSpot run, from its event log
/// (docs/event-log-format.md): there is none from an eviction or the rejection of a spot until the
/// next spot is placed. A tick has capacity if there is some all through it; its number is 1.
/// Starts at time 0 of the log and ends when the last spot is placed, rejected or evicted: what
/// there is once no spot asks any more (a log goes on until the last VM ends), it does not say.
///
/// Errors: WorkloadError with `file:line:` for a file that is no event log, or one without spots.
[[nodiscard]] AvailabilityTrace read_eviction_availability(const std::filesystem::path& file,
                                                           SimTime tick);

}  // namespace cospot
