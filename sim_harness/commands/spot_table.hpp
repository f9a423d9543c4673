#pragma once

#include <string>

#include "guarantees/lifetime_predictor.hpp"
#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// The spots of a workload in order of arrival as CSV, as training data: instance_id, vcpus,
/// memory_mb, disk_gb, requested_s, ended_s, previous_lifetime_s (the last two are "never" if
/// unknown). With a predictor also expected_life_s: the expected life at the request, counted to
/// day 90.
[[nodiscard]] std::string spot_table_csv(const Workload& workload,
                                         const LifetimePredictor* predictor);

}  // namespace cospot
