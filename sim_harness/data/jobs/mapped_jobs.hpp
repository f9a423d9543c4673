#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sim_harness/base/text/date_time.hpp"
#include "sim_harness/data/jobs/job.hpp"

namespace cospot {

/// Describes how to read a table of jobs whose columns have names of their own.
struct JobColumns {
  /// The columns of a job CSV and what they are: a column of the table, or an SQL expression over
  /// its columns (sim_harness/data/imports/row_values.hpp). Others count under their own names.
  std::vector<std::pair<std::string, std::string>> map{};
  std::string only{};  ///< a condition; rows for which it is not true are skipped
  char separator = ',';
  TimeZone zone{};  ///< of dates without an offset

  [[nodiscard]] bool is_plain() const { return map.empty() && only.empty() && separator == ','; }
};

/// The columns of a job CSV that a map can give.
[[nodiscard]] std::vector<std::string> mapped_job_columns();

/// Reads jobs from a table, plain or gzip.
///
/// Errors: ConfigError for expressions, WorkloadError with `file:line:`.
[[nodiscard]] JobLog read_mapped_jobs(const std::filesystem::path& path, const JobColumns& columns);

}  // namespace cospot
