#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "sim_harness/base/text/date_time.hpp"
#include "sim_harness/data/jobs/job.hpp"

namespace cospot {

/// The format of a log.
enum class JobLogFormat { kSwf, kCsv, kNone };

/// Detects the format from the first non-empty line: kSwf for a comment (`;`) or a number; kCsv for
/// a header line with a column of a job CSV; otherwise kNone.
[[nodiscard]] JobLogFormat job_log_format(std::string_view text);

/// Parses the jobs of a text in a recognised format (job_formats.hpp). Errors: WorkloadError with
/// `file:line:`. Dates without an offset are those of `zone`, here and below.
[[nodiscard]] JobLog parse_job_log(std::string_view text, std::string_view name,
                                   const TimeZone& zone = {});

/// Visits the jobs one by one without storing them, for logs of millions of jobs; adds statements
/// to `statements`. Errors: as parse_job_log().
void visit_jobs(std::string_view text, std::string_view name,
                std::vector<JobLogStatement>& statements,
                const std::function<void(const Job&)>& visit, const TimeZone& zone = {});

/// Errors: WorkloadError that starts with `name`, for a log without any such time.
void require_time(const JobWindow& window, std::string_view name);

/// Reads a file, plain or gzip. Errors: WorkloadError with `file:` or `file:line:`.
[[nodiscard]] JobLog read_job_log(const std::filesystem::path& path, const TimeZone& zone = {});

}  // namespace cospot
