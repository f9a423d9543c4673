#pragma once

#include <filesystem>
#include <string_view>

#include "sim_harness/jobs/job.hpp"

namespace cospot {

/// Reads a log in the Standard Workload Format of the Parallel Workloads Archive: lines that start
/// with `;` are comments, `; Key: value` among them statements; every other line is a job of 18
/// fields, of which more may follow (some logs append their own) and are ignored. -1 is unknown.
/// So is a run time that leads back to time 0: an end that was never recorded.
///
/// Errors: WorkloadError with `file:line:`.
[[nodiscard]] JobLog parse_swf(std::string_view text, std::string_view name);

/// Reads a CSV with a header line and the columns submission_s and duration_s, if need be nodes
/// (from 1; one without it). The tables of R's hpcwld are understood too: interarrival (to the row
/// before), service, and if need be delays and cores_used. Other columns are ignored.
///
/// Errors: WorkloadError with `file:line:`.
[[nodiscard]] JobLog parse_job_csv(std::string_view text, std::string_view name);

/// Tells how a log is written.
enum class JobLogFormat { kSwf, kCsv, kNone };

/// By its first line that is not empty: kSwf for a comment (`;`) or a number; kCsv for a header
/// line with one of the columns of parse_job_csv(); kNone for everything else.
[[nodiscard]] JobLogFormat job_log_format(std::string_view text);

/// The jobs of text whose format it recognises. Errors: WorkloadError.
[[nodiscard]] JobLog parse_job_log(std::string_view text, std::string_view name);

/// Reads a file, plain or gzip. Errors: WorkloadError with `file:` or `file:line:`.
[[nodiscard]] JobLog read_job_log(const std::filesystem::path& path);

}  // namespace cospot
