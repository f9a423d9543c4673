#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/base/text/date_time.hpp"
#include "sim_harness/data/jobs/job.hpp"

namespace cospot {

/// Reads a log in the Standard Workload Format of the Parallel Workloads Archive (swf_rows.hpp).
/// Comments that read `; Key: value` are statements. Visits the jobs, not their stretches.
///
/// Errors: WorkloadError with `file:line:`.
void visit_swf(std::string_view text, std::string_view name,
               std::vector<JobLogStatement>& statements,
               const std::function<void(const Job&)>& visit);

/// Reads a CSV with a header line and the columns submission_s and duration_s, optionally nodes
/// (from 1; default 1) and what a customer knows about jobs: user, estimate_s, deadline_s,
/// parallelism, sigma, memory_mb (empty: unknown). Also reads the tables of R's hpcwld:
/// interarrival (to the previous row), service, and optionally delays and cores_used. Other columns
/// are ignored. `places` are those of the lines for errors, if the text was made of a file.
///
/// Errors: WorkloadError with `file:line:`.
void visit_job_csv(std::string_view text, std::string_view name, const TimeZone& zone,
                   const std::function<void(const Job&)>& visit,
                   std::span<const std::string> places = {});

}  // namespace cospot
