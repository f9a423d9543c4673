#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/parse_number.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/jobs/job_formats.hpp"
#include "sim_harness/data/jobs/job_lines.hpp"

namespace cospot {
namespace {

constexpr std::size_t kFields = 18;
constexpr std::array<std::string_view, kFields> kFieldNames{
    "job number",     "submit time",      "wait time",   "run time",
    "processors",     "average CPU time", "used memory", "requested processors",
    "requested time", "requested memory", "status",      "user",
    "group",          "application",      "queue",       "partition",
    "preceding job",  "think time"};

/// Reads the fields of one line, each as what it is. Unknown (-1) is empty.
class SwfFields {
 public:
  SwfFields(std::string_view line, const JobLines& lines) : lines_(lines) {
    constexpr std::string_view kBlanks = " \t";
    while (count_ < kFields) {
      const std::size_t first = line.find_first_not_of(kBlanks);
      if (first == std::string_view::npos) break;
      line.remove_prefix(first);
      const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
      texts_[count_++] = line.substr(0, end);
      line.remove_prefix(end);
    }
    if (count_ < kFields) lines.fail(fmt::format("{} fields, expected 18 of an SWF job", count_));
  }

  [[nodiscard]] double number(std::size_t field) const {
    const std::optional<double> value = parse_number(texts_[field]);
    if (!value) refuse(field, "a number, -1 where it is unknown");
    return *value;
  }
  [[nodiscard]] std::optional<double> amount(std::size_t field) const {
    const double value = number(field);
    if (value == -1) return std::nullopt;
    if (value < 0) refuse(field, "a number from 0, or -1 where it is unknown");
    return value;
  }
  template <class Whole>
  [[nodiscard]] std::optional<Whole> whole(std::size_t field) const {
    const std::optional<double> value = amount(field);
    if (!value) return std::nullopt;
    constexpr double kMost = sizeof(Whole) < 8 ? std::numeric_limits<std::int32_t>::max() : 0x1p53;
    if (*value != std::floor(*value) || *value > kMost) {
      refuse(field, "a whole number, or -1 where it is unknown");
    }
    return static_cast<Whole>(*value);
  }
  [[nodiscard]] SimTime time(std::size_t field) const {
    SimTime value{0};
    if (!read_seconds(texts_[field], value)) refuse(field, "seconds, -1 where it is unknown");
    return value;
  }
  [[nodiscard]] std::optional<SimTime> span(std::size_t field) const {
    if (!amount(field)) return std::nullopt;
    return time(field);
  }

  [[noreturn]] void refuse(std::size_t field, std::string_view expected) const {
    lines_.fail(fmt::format("{} (field {}) is {}, expected {}", kFieldNames[field], field + 1,
                            quoted_excerpt(texts_[field]), expected));
  }

 private:
  const JobLines& lines_;
  std::array<std::string_view, kFields> texts_{};
  std::size_t count_ = 0;
};

/// The run time. Some logs subtract the start from an end of 0, which stands for "not recorded".
std::optional<SimTime> run_time(const SwfFields& fields, const Job& job) {
  const SimTime value = fields.time(3);
  if (value < SimTime(0) && job.start() + value == SimTime(0)) return std::nullopt;
  return fields.span(3);
}

Job read_job(std::string_view line, const JobLines& lines) {
  const SwfFields fields(line, lines);
  Job job;
  const std::optional<std::int64_t> id = fields.whole<std::int64_t>(0);
  if (!id) fields.refuse(0, "a whole number from 0");
  job.id = *id;
  job.submission = fields.time(1);
  if (job.submission < SimTime(0)) fields.refuse(1, "seconds from 0");
  job.wait = fields.span(2);
  job.duration = run_time(fields, job);
  job.processors = fields.whole<std::int32_t>(4);
  if (job.processors == 0) job.processors.reset();  // as some logs write that they do not know
  job.average_cpu_s = fields.amount(5);
  job.used_memory_kb = fields.amount(6);
  job.requested_processors = fields.whole<std::int32_t>(7);
  if (job.requested_processors == 0) job.requested_processors.reset();
  job.requested_time = fields.span(8);
  job.requested_memory_kb = fields.amount(9);
  job.status = fields.whole<std::int32_t>(10);
  job.user = fields.whole<std::int32_t>(11);
  job.group = fields.whole<std::int32_t>(12);
  job.application = fields.whole<std::int32_t>(13);
  job.queue = fields.whole<std::int32_t>(14);
  job.partition = fields.whole<std::int32_t>(15);
  job.preceding_job = fields.whole<std::int64_t>(16);
  job.think_time = fields.span(17);
  return job;
}

/// Keeps `; Key: value`; other comments say nothing to a program.
void read_comment(std::string_view comment, std::vector<JobLogStatement>& statements) {
  comment =
      without_blanks(comment.substr(std::min(comment.find_first_not_of(';'), comment.size())));
  const std::size_t colon = comment.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view key = comment.substr(0, colon);
  if (key.empty() || key.find(' ') != std::string_view::npos) return;
  statements.push_back({std::string(key), std::string(without_blanks(comment.substr(colon + 1)))});
}

}  // namespace

void visit_swf(std::string_view text, std::string_view name,
               std::vector<JobLogStatement>& statements,
               const std::function<void(const Job&)>& visit) {
  JobLines lines(text, name);
  bool has_jobs = false;
  std::string_view line;
  while (lines.next(line)) {
    line = without_blanks(line);
    if (line.empty()) continue;
    if (line.starts_with(';')) {
      read_comment(line, statements);
    } else {
      visit(read_job(line, lines));
      has_jobs = true;
    }
  }
  if (!has_jobs) lines.fail("the log ends here, expected jobs");
}

}  // namespace cospot
