#pragma once

#include <filesystem>

#include "core/model/sim_time.hpp"
#include "sim_harness/data/markets/availability_trace.hpp"

namespace cospot {

/// The spot capacity of a CoSpot run as customers see it, from its event log
/// (docs/event-log-format.md): none from an eviction or the rejection of a spot until the next spot
/// is placed. A tick has capacity (1) if there is some throughout. The trace starts at time 0 of
/// the log and ends when the last spot is placed, rejected or evicted; after that no spot asks, so
/// the capacity is unknown (a log continues until the last VM ends).
///
/// Errors: WorkloadError with `file:line:` for a file that is not an event log, or has no spots.
[[nodiscard]] AvailabilityTrace read_eviction_availability(const std::filesystem::path& file,
                                                           SimTime tick);

}  // namespace cospot
