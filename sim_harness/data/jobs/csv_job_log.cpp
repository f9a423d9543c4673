#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "core/parse_number.hpp"
#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/base/text/date_time.hpp"
#include "sim_harness/data/jobs/job_formats.hpp"
#include "sim_harness/data/workloads/series_span.hpp"

namespace cospot {
namespace {

enum Column : std::size_t {
  kSubmission,
  kDuration,
  kNodes,
  kUser,
  kEstimate,
  kDeadline,
  kParallelism,
  kSigma,
  kMemory,
  // As the tables of hpcwld call them.
  kInterarrival,
  kService,
  kDelays,
  kCoresUsed,
  kColumnCount
};

constexpr std::array<TableColumn, kColumnCount> kColumns{{{"submission_s", false},
                                                          {"duration_s", false},
                                                          {"nodes", false},
                                                          {"user", false},
                                                          {"estimate_s", false},
                                                          {"deadline_s", false},
                                                          {"parallelism", false},
                                                          {"sigma", false},
                                                          {"memory_mb", false},
                                                          {"interarrival", false},
                                                          {"service", false},
                                                          {"delays", false},
                                                          {"cores_used", false}}};
constexpr TableFormat kFormat{.columns = kColumns, .rows = "jobs", .has_other_columns = true};

void refuse_both(const TableReader& table, Column one, Column other) {
  if (!table.has(one) || !table.has(other)) return;
  table.fail(fmt::format("the columns '{}' and '{}' say the same, expected one of them",
                         kColumns[one].name, kColumns[other].name));
}

void check_columns(const TableReader& table) {
  refuse_both(table, kSubmission, kInterarrival);
  refuse_both(table, kDuration, kService);
  refuse_both(table, kNodes, kCoresUsed);
  if (table.has(kDeadline) && !table.has(kSubmission)) {
    table.fail("the column 'deadline_s' counts as submission_s does, expected that column too");
  }
  const bool has_start = table.has(kSubmission) || table.has(kInterarrival);
  if (has_start && (table.has(kDuration) || table.has(kService))) return;
  table.fail(
      fmt::format("the column '{}' is missing, expected "
                  "submission_s,duration_s[,nodes,...] or interarrival,service",
                  kColumns[has_start ? kDuration : kSubmission].name));
}

std::optional<double> read_amount(const TableReader& table, Column column, double least) {
  if (table.is_empty(column)) return std::nullopt;
  return table.number(column, least, std::numeric_limits<double>::infinity());
}

/// Seconds from any origin, or a date.
struct Instant {
  SimTime time{0};
  bool is_date = false;
};

std::optional<Instant> parse_instant(std::string_view text, const TimeZone& zone) {
  if (const std::optional<SimTime> date = parse_date_time(text, zone)) return Instant{*date, true};
  const std::optional<double> seconds = parse_number(text);
  if (!seconds || !(std::abs(*seconds) <= TableReader::kMostSeconds)) return std::nullopt;
  return Instant{SimTime(std::llround(*seconds * 1e6)), false};
}

Instant read_instant(const TableReader& table, Column column, const TimeZone& zone,
                     std::string_view expected) {
  return table.value(
      column, [&zone](std::string_view text) { return parse_instant(text, zone); }, expected);
}

Instant read_submission(const TableReader& table, const TimeZone& zone, SimTime previous) {
  if (!table.has(kSubmission)) return {previous + table.seconds(kInterarrival), false};
  return read_instant(table, kSubmission, zone,
                      "a number of seconds, or a date such as 2024-05-01T12:00:00Z");
}

SimTime read_deadline(const TableReader& table, const TimeZone& zone, const Instant& submission) {
  const std::string_view expected =
      submission.is_date ? "a date after the submission" : "seconds after the submission";
  const Instant deadline = read_instant(table, kDeadline, zone, expected);
  if (deadline.is_date != submission.is_date || deadline.time <= submission.time) {
    table.refuse(kDeadline, expected);
  }
  return deadline.time;
}

}  // namespace

void visit_job_csv(std::string_view text, std::string_view name, const TimeZone& zone,
                   const std::function<void(const Job&)>& visit,
                   std::span<const std::string> places) {
  constexpr auto kMostNodes = std::numeric_limits<std::int32_t>::max();
  TableReader table(text, name, kFormat, places);
  check_columns(table);
  const Column duration = table.has(kDuration) ? kDuration : kService;
  std::map<std::string, std::int64_t, std::less<>> users;  // numbered as they come
  Instant submission;
  SeriesSpan span;
  for (std::int64_t id = 1; table.next(); ++id) {
    submission = read_submission(table, zone, submission.time);
    span.take(table, table.has(kSubmission) ? kSubmission : kInterarrival, submission.time);
    Job job{.id = id, .line = table.line_number(), .submission = submission.time};
    job.duration = table.seconds(duration, 0, kMostSpanSeconds);
    if (table.has(kDelays)) job.wait = table.seconds(kDelays, 0, kMostSpanSeconds);
    const auto nodes = [&](Column column, std::int32_t least) {
      return table.whole(column, least, kMostNodes);
    };
    if (table.has(kNodes)) job.processors = nodes(kNodes, 1);
    if (table.has(kCoresUsed)) job.processors = nodes(kCoresUsed, 0);  // some use none at all
    // The rest customers need not know of every job.
    if (!table.is_empty(kUser)) {
      const auto next = static_cast<std::int64_t>(users.size());
      job.user = users.try_emplace(std::string(table.field(kUser)), next).first->second;
    }
    if (!table.is_empty(kEstimate)) job.estimate = table.seconds(kEstimate, 0);
    if (!table.is_empty(kDeadline)) job.deadline = read_deadline(table, zone, submission);
    job.parallelism = read_amount(table, kParallelism, 1);
    job.sigma = read_amount(table, kSigma, 0);
    job.memory_mb = read_amount(table, kMemory, 0);
    visit(job);
  }
}

}  // namespace cospot
