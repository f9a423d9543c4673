#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "sim_harness/data/jobs/job.hpp"

namespace cospot {

/// Tells how a log is written.
enum class JobLogFormat { kSwf, kCsv, kNone };

/// By its first line that is not empty: kSwf for a comment (`;`) or a number; kCsv for a header
/// line with one of the columns of a job CSV; kNone for everything else.
[[nodiscard]] JobLogFormat job_log_format(std::string_view text);

/// The jobs of text in a format that it recognises (job_formats.hpp). Errors: WorkloadError with
/// `file:line:`.
[[nodiscard]] JobLog parse_job_log(std::string_view text, std::string_view name);

/// Tells of one job after the other without keeping them, for logs of millions of jobs; statements
/// are added to `statements`. Errors: as parse_job_log().
void visit_jobs(std::string_view text, std::string_view name,
                std::vector<JobLogStatement>& statements,
                const std::function<void(const Job&)>& visit);

/// Reads a file, plain or gzip. Errors: WorkloadError with `file:` or `file:line:`.
[[nodiscard]] JobLog read_job_log(const std::filesystem::path& path);

}  // namespace cospot
