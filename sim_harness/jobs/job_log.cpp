#include "sim_harness/jobs/job_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/files/gzip.hpp"
#include "sim_harness/files/plain_text.hpp"
#include "sim_harness/files/stored_file.hpp"
#include "sim_harness/jobs/job_formats.hpp"
#include "sim_harness/jobs/job_lines.hpp"

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
  for (const std::string_view name : {"submission_s", "duration_s", "interarrival", "service"}) {
    std::string_view rest = header;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      if (without_blanks(rest.substr(0, comma)) == name) return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return false;
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
                const std::function<void(const Job&)>& visit) {
  switch (job_log_format(text)) {
    case JobLogFormat::kSwf:
      return visit_swf(text, name, statements, visit);
    case JobLogFormat::kCsv:
      return visit_job_csv(text, name, visit);
    case JobLogFormat::kNone:
      break;
  }
  throw WorkloadError(
      fmt::format("{}:1: {} begins no log of jobs, expected SWF (18 numbers a line, comments with "
                  "';') or a CSV with the columns submission_s,duration_s[,nodes]",
                  name, quoted_excerpt(first_line(text))));
}

JobLog parse_job_log(std::string_view text, std::string_view name) {
  JobLog log{.name = std::string(name), .sha256 = sha256_hex(text)};
  visit_jobs(text, name, log.statements, [&log](const Job& job) { log.jobs.push_back(job); });
  return log;
}

JobLog read_job_log(const std::filesystem::path& path) {
  std::string bytes = read_stored_file(path);
  std::string sha256 = sha256_hex(bytes);
  if (is_gzip(bytes)) {
    Unpacked unpacked = unpack_gzip(bytes);
    if (!unpacked.fault.empty()) {
      const auto line = 1 + std::ranges::count(unpacked.text, '\n');
      throw WorkloadError(fmt::format("{}:{}: {}", path.string(), line, unpacked.fault));
    }
    bytes = std::move(unpacked.text);
  }
  JobLog log = parse_job_log(bytes, path.string());
  log.sha256 = std::move(sha256);
  return log;
}

}  // namespace cospot
