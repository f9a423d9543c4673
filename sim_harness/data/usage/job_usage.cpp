#include "sim_harness/data/usage/job_usage.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "core/parse_number.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/tables/line_reader.hpp"
#include "sim_harness/data/jobs/job_log.hpp"

namespace cospot {
namespace {

std::optional<std::int64_t> stated_capacity(const JobLog& log) {
  constexpr std::string_view kDigits = "0123456789";
  const std::optional<std::string> text = log.statement("MaxProcs");
  if (!text) return std::nullopt;
  // Some logs say more after the number.
  const std::string_view digits =
      std::string_view(*text).substr(0, text->find_first_not_of(kDigits));
  const auto processors = parse_integer<std::int64_t>(digits);
  return processors && *processors > 0 ? processors : std::nullopt;
}

}  // namespace

UsageSeries usage_of_jobs(const JobLog& log, std::optional<std::int64_t> capacity) {
  std::map<SimTime, std::int64_t> changes;
  JobWindow window;
  StopPoll poll;
  for (const Job& job : log.jobs) {
    poll.check();
    if (!job.has_run()) continue;
    window.add(job);
    changes[job.start()] += job.width();
    changes[job.start() + *job.duration] -= job.width();
  }
  require_time(window, log.name);
  UsageSeries usage{
      .name = log.name, .sha256 = log.sha256, .samples = {}, .holds_until_next = true};
  std::int64_t used = 0, most = 0;
  for (const auto& [time, change] : changes) {
    used += change;
    if (time > window.end) break;
    most = std::max(most, used);
    usage.samples.push_back({.time = time, .used = used});
  }
  if (usage.samples.back().time < window.end) {
    usage.samples.push_back({.time = window.end, .used = usage.samples.back().used});
  }
  const std::int64_t processors = capacity ? *capacity : stated_capacity(log).value_or(most);
  for (UsageSample& sample : usage.samples) {
    sample.capacity = processors * kSlackUnit;
    sample.used = std::min(sample.used, processors) * kSlackUnit;
  }
  return usage;
}

bool is_job_log_file(const std::filesystem::path& file) {
  LineReader reader(file);
  std::string_view line;
  while (reader.next(line)) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    return job_log_format(line) != JobLogFormat::kNone;
  }
  return false;
}

}  // namespace cospot
