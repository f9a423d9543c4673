#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "guarantees/economy/slack.hpp"
#include "sim_harness/data/jobs/job.hpp"

namespace cospot {

/// The processors that batch jobs use, from the first submission to the last, in a cluster with
/// `capacity` processors; without one: what the log states (MaxProcs), else as many as they use at
/// most. Use is cut at the capacity: replayed logs exceed it for moments, where times are rounded.
/// Jobs without a recorded duration are left out.
///
/// Errors: WorkloadError when no job is left.
[[nodiscard]] UsageSeries usage_of_jobs(const JobLog& log, std::optional<std::int64_t> capacity);

/// Tells whether a file looks like a log of batch jobs (sim_harness/data/jobs/job_log.hpp).
[[nodiscard]] bool is_job_log_file(const std::filesystem::path& file);

}  // namespace cospot
