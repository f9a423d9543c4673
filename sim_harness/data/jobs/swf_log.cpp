#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/imports/swf_rows.hpp"
#include "sim_harness/data/jobs/job_formats.hpp"
#include "sim_harness/data/workloads/series_span.hpp"

namespace cospot {
namespace {

/// The lines of a log in memory, for messages with `file:line:`.
class LogLines {
 public:
  LogLines(std::string_view text, std::string_view file)
      : rest_(without_byte_order_mark(text)), file_(file) {}

  /// Sets `line` to the next line, without its end. False at the end.
  [[nodiscard]] bool next(std::string_view& line) {
    poll_.check();
    if (rest_.empty()) return false;
    line = take_line(rest_);
    ++number_;
    return true;
  }

  /// The number of the line last returned, from 1.
  [[nodiscard]] std::size_t number() const { return number_; }

  /// Throws a WorkloadError about the line last returned by next().
  [[noreturn]] void fail(std::string_view what) const {
    throw WorkloadError(fmt::format("{}:{}: {}", file_, std::max<std::size_t>(number_, 1), what));
  }

 private:
  std::string_view rest_;
  std::string_view file_;
  std::size_t number_ = 0;
  StopPoll poll_;
};

/// The fields of one job, each as what it is. Unknown is empty.
class SwfFields {
 public:
  SwfFields(const SwfRows& row, const LogLines& lines) : row_(row), lines_(lines) {}

  [[nodiscard]] std::optional<double> amount(std::size_t field) const {
    if (row_.fields()[field].empty()) return std::nullopt;
    const std::optional<double> value = parse_number(row_.fields()[field]);
    if (!value) refuse(field, "a number, -1 where it is unknown");
    if (*value < 0) refuse(field, "a number from 0, or -1 where it is unknown");
    return value;
  }
  template <class Whole>
  [[nodiscard]] std::optional<Whole> whole(std::size_t field) const {
    if (!amount(field)) return std::nullopt;
    const std::optional<std::int64_t> value = parse_whole(row_.fields()[field]);
    if (!value || !std::in_range<Whole>(*value)) {
      refuse(field, fmt::format("a whole number up to {}, or -1 where it is unknown",
                                std::numeric_limits<Whole>::max()));
    }
    return static_cast<Whole>(*value);
  }
  [[nodiscard]] std::optional<SimTime> span(std::size_t field,
                                            double most = TableReader::kMostSeconds) const {
    const std::optional<double> seconds = amount(field);
    if (!seconds) return std::nullopt;
    if (*seconds > most) {
      refuse(field, fmt::format("seconds, at most {}, or -1 where it is unknown", most));
    }
    return SimTime(std::llround(*seconds * 1e6));
  }
  [[noreturn]] void refuse(std::size_t field, std::string_view expected) const {
    std::string name(SwfRows::kNames[field]);
    std::ranges::replace(name, '_', ' ');
    lines_.fail(fmt::format("{} (field {}) is {}, expected {}", name, field + 1,
                            quoted_excerpt(row_.written(field)), expected));
  }

 private:
  const SwfRows& row_;
  const LogLines& lines_;
};

Job read_job(const SwfRows& row, const LogLines& lines, SeriesSpan& submissions) {
  using Row = SwfRows;
  const SwfFields fields(row, lines);
  Job job{.line = lines.number()};
  const std::optional<std::int64_t> id = fields.whole<std::int64_t>(Row::kJobNumber);
  if (!id) fields.refuse(Row::kJobNumber, "a whole number from 0");
  job.id = *id;
  const std::optional<SimTime> submission = fields.span(Row::kSubmitTime);
  if (!submission) fields.refuse(Row::kSubmitTime, "seconds from 0");
  job.submission = *submission;
  if (!submissions.take(job.submission)) fields.refuse(Row::kSubmitTime, SeriesSpan::kExpected);
  job.wait = fields.span(Row::kWaitTime, kMostSpanSeconds);
  job.duration = fields.span(Row::kRunTime, kMostSpanSeconds);
  job.processors = fields.whole<std::int32_t>(Row::kProcessors);
  if (job.processors == 0) job.processors.reset();  // as some logs write that they do not know
  job.average_cpu_s = fields.amount(Row::kAverageCpuTime);
  job.used_memory_kb = fields.amount(Row::kUsedMemory);
  job.requested_processors = fields.whole<std::int32_t>(Row::kRequestedProcessors);
  if (job.requested_processors == 0) job.requested_processors.reset();
  job.requested_time = fields.span(Row::kRequestedTime);
  job.requested_memory_kb = fields.amount(Row::kRequestedMemory);
  job.status = fields.whole<std::int64_t>(Row::kStatus);
  job.user = fields.whole<std::int64_t>(Row::kUserId);
  job.group = fields.whole<std::int64_t>(Row::kGroupId);
  job.application = fields.whole<std::int64_t>(Row::kApplication);
  job.queue = fields.whole<std::int64_t>(Row::kQueue);
  job.partition = fields.whole<std::int64_t>(Row::kPartition);
  job.preceding_job = fields.whole<std::int64_t>(Row::kPrecedingJob);
  job.think_time = fields.span(Row::kThinkTime);
  return job;
}

/// Keeps `; Key: value`; other comments say nothing to a program.
void read_comment(std::string_view comment, std::vector<JobLogStatement>& statements) {
  comment = without_blanks(comment);
  comment =
      without_blanks(comment.substr(std::min(comment.find_first_not_of(';'), comment.size())));
  if (find_non_text(comment) != std::string_view::npos) return;
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
  LogLines lines(text, name);
  SwfRows row;
  SeriesSpan submissions;
  bool has_jobs = false;
  std::string_view line;
  while (lines.next(line)) {
    switch (row.read(line)) {
      case SwfRows::Kind::kComment:
        read_comment(line, statements);
        break;
      case SwfRows::Kind::kFault:
        lines.fail(row.fault());
      case SwfRows::Kind::kStretch:
        break;
      case SwfRows::Kind::kJob:
        visit(read_job(row, lines, submissions));
        has_jobs = true;
    }
  }
  if (!has_jobs) lines.fail("the log ends here, expected jobs");
}

}  // namespace cospot
