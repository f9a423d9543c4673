#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "guarantees/economy/slack.hpp"
#include "sim_harness/data/jobs/job.hpp"

namespace cospot {

/// The processors used by batch jobs in the log's JobWindow, in a cluster with `capacity`
/// processors (default: the log's MaxProcs, else the peak). Usage is capped at the capacity,
/// because replayed logs exceed it briefly where times are rounded. Jobs without a recorded
/// duration are dropped.
///
/// Errors: WorkloadError if no job is left.
[[nodiscard]] UsageSeries usage_of_jobs(const JobLog& log, std::optional<std::int64_t> capacity);

/// Tells whether a file looks like a log of batch jobs (sim_harness/data/jobs/job_log.hpp).
[[nodiscard]] bool is_job_log_file(const std::filesystem::path& file);

}  // namespace cospot
