#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "sim_harness/data/jobs/job.hpp"

namespace cospot {

/// Reads a log in the Standard Workload Format of the Parallel Workloads Archive: lines that start
/// with `;` are comments, `; Key: value` among them statements; every other line is a job of 18
/// fields, of which more may follow (some logs append their own) and are ignored. -1 is unknown.
/// So is a run time that leads back to time 0: an end that was never recorded.
///
/// Errors: WorkloadError with `file:line:`.
void visit_swf(std::string_view text, std::string_view name,
               std::vector<JobLogStatement>& statements,
               const std::function<void(const Job&)>& visit);

/// Reads a CSV with a header line and the columns submission_s and duration_s, if need be nodes
/// (from 1; one without it), and what a customer knows of jobs: user, estimate_s, deadline_s,
/// parallelism, sigma, memory_mb, each empty where it is unknown. The tables of R's hpcwld are
/// understood too: interarrival (to the row before), service, and if need be delays and cores_used.
/// Other columns are ignored.
///
/// Errors: WorkloadError with `file:line:`.
void visit_job_csv(std::string_view text, std::string_view name,
                   const std::function<void(const Job&)>& visit);

}  // namespace cospot
