#include "sim_harness/data/jobs/job_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/jobs/job_formats.hpp"

namespace cospot {
namespace {

std::string_view first_line(std::string_view text) {
  text = without_byte_order_mark(text);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  text.remove_prefix(first);
  return text.substr(0, text.find_first_of("\r\n"));
}

bool has_job_column(std::string_view header) {
  constexpr std::array<std::string_view, 4> kNames{"submission_s", "duration_s", "interarrival",
                                                   "service"};
  return std::ranges::any_of(
      kNames, [&](std::string_view name) { return header.find(name) != std::string_view::npos; });
}

}  // namespace

JobLogFormat job_log_format(std::string_view text) {
  const std::string_view line = first_line(text);
  if (line.empty()) return JobLogFormat::kNone;
  const bool is_number = line[0] == '-' || (line[0] >= '0' && line[0] <= '9');
  if (line[0] == ';' || is_number) return JobLogFormat::kSwf;
  return has_job_column(line) ? JobLogFormat::kCsv : JobLogFormat::kNone;
}

void visit_jobs(std::string_view text, std::string_view name,
                std::vector<JobLogStatement>& statements,
                const std::function<void(const Job&)>& visit, const TimeZone& zone) {
  switch (job_log_format(text)) {
    case JobLogFormat::kSwf:
      return visit_swf(text, name, statements, visit);
    case JobLogFormat::kCsv:
      return visit_job_csv(text, name, zone, visit);
    case JobLogFormat::kNone:
      break;
  }
  if (text.empty()) throw WorkloadError(fmt::format("{}: the file is empty", name));
  throw WorkloadError(fmt::format(
      "{}:1: {} is not the first line of a job log, expected SWF (18 numbers a line, comments with "
      "';') or a CSV with the columns submission_s,duration_s[,nodes,user,estimate_s,deadline_s,"
      "parallelism,sigma,memory_mb]",
      name, quoted_excerpt(first_line(text))));
}

void require_time(const JobWindow& window, std::string_view name) {
  if (window.begin == kNever) {
    throw WorkloadError(
        fmt::format("{}: no job has a run time above 0, expected some that have one", name));
  }
  if (window.begin < window.end) return;
  throw WorkloadError(
      fmt::format("{}: no job is submitted after the first one has started, so there is no time in "
                  "which all jobs are known; expected some",
                  name));
}

JobLog parse_job_log(std::string_view text, std::string_view name, const TimeZone& zone) {
  JobLog log{.name = std::string(name), .sha256 = sha256_hex(text)};
  visit_jobs(
      text, name, log.statements, [&log](const Job& job) { log.jobs.push_back(job); }, zone);
  return log;
}

JobLog read_job_log(const std::filesystem::path& path, const TimeZone& zone) {
  std::string bytes = read_stored_file(path);
  std::string sha256 = sha256_hex(bytes);
  JobLog log = parse_job_log(unpacked_text(std::move(bytes), path.string()), path.string(), zone);
  log.sha256 = std::move(sha256);
  return log;
}

}  // namespace cospot
