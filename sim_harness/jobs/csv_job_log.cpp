#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/files/plain_text.hpp"
#include "sim_harness/files/separated_fields.hpp"
#include "sim_harness/jobs/job_formats.hpp"
#include "sim_harness/jobs/job_lines.hpp"

namespace cospot {
namespace {

/// What a column of a job CSV means.
enum class Column {
  kSubmission,
  kInterarrival,
  kWait,
  kDuration,
  kNodes,
  kUser,
  kEstimate,
  kDeadline,
  kParallelism,
  kSigma,
  kMemory,
  kCount
};
constexpr auto kColumns = static_cast<std::size_t>(Column::kCount);

struct ColumnName {
  std::string_view name;
  Column column;
};
constexpr std::array<ColumnName, 13> kNames{{{"submission_s", Column::kSubmission},
                                             {"duration_s", Column::kDuration},
                                             {"nodes", Column::kNodes},
                                             {"user", Column::kUser},
                                             {"estimate_s", Column::kEstimate},
                                             {"deadline_s", Column::kDeadline},
                                             {"parallelism", Column::kParallelism},
                                             {"sigma", Column::kSigma},
                                             {"memory_mb", Column::kMemory},
                                             {"interarrival", Column::kInterarrival},
                                             {"service", Column::kDuration},
                                             {"delays", Column::kWait},
                                             {"cores_used", Column::kNodes}}};

/// Blanks around a field do not belong to it.
void split(std::string_view line, std::vector<std::string_view>& fields) {
  split_fields(line, fields);
  for (std::string_view& field : fields) field = without_blanks(field);
}

/// Reads the rows below the header line.
class RowReader {
 public:
  RowReader(std::string_view header, const JobLines& lines) : lines_(lines) {
    std::vector<std::string_view> names;
    split(header, names);
    width_ = names.size();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto* known = std::ranges::find(kNames, names[i], &ColumnName::name);
      if (known == kNames.end()) continue;
      std::optional<std::size_t>& place = places_[static_cast<std::size_t>(known->column)];
      if (place) {
        lines.fail(fmt::format("the columns '{}' and '{}' say the same, expected one of them",
                               names[*place], names[i]));
      }
      place = i;
      header_[static_cast<std::size_t>(known->column)] = names[i];
    }
    const bool starts = has(Column::kSubmission) != has(Column::kInterarrival);
    if (has(Column::kDeadline) && !has(Column::kSubmission)) {
      lines.fail("the column 'deadline_s' counts as submission_s does, expected that column too");
    }
    if (starts && has(Column::kDuration)) return;
    lines.fail(
        fmt::format("the header line is {}, expected the columns "
                    "submission_s,duration_s[,nodes,...] or interarrival,service",
                    quoted_excerpt(header)));
  }

  [[nodiscard]] Job read(std::string_view line) {
    split(line, fields_);
    if (fields_.size() != width_) {
      lines_.fail(fmt::format("{} fields, expected {} as in the header line",
                              line.empty() ? 0 : fields_.size(), width_));
    }
    Job job{.id = ++rows_};
    if (has(Column::kSubmission)) {
      job.submission = seconds(Column::kSubmission);
    } else {
      submission_ += seconds(Column::kInterarrival);
      job.submission = submission_;
    }
    job.duration = span(Column::kDuration);
    if (has(Column::kWait)) job.wait = span(Column::kWait);
    if (has(Column::kNodes)) job.processors = nodes();
    if (is_stated(Column::kUser)) job.user = user();
    if (is_stated(Column::kEstimate)) job.estimate = span(Column::kEstimate);
    if (is_stated(Column::kDeadline)) job.deadline = deadline(job.submission);
    job.parallelism = amount(Column::kParallelism, 1);
    job.sigma = amount(Column::kSigma, 0);
    job.memory_mb = amount(Column::kMemory, 0);
    return job;
  }

 private:
  [[nodiscard]] bool has(Column column) const {
    return places_[static_cast<std::size_t>(column)].has_value();
  }
  [[nodiscard]] std::string_view text(Column column) const {
    return fields_[places_[static_cast<std::size_t>(column)].value_or(0)];
  }
  /// What a customer need not know of every job.
  [[nodiscard]] bool is_stated(Column column) const { return has(column) && !text(column).empty(); }
  [[noreturn]] void refuse(Column column, std::string_view expected) const {
    lines_.fail(fmt::format("{} is {}, expected {}", header_[static_cast<std::size_t>(column)],
                            quoted_excerpt(text(column)), expected));
  }
  [[nodiscard]] SimTime seconds(Column column) const {
    SimTime value{0};
    if (!read_seconds(text(column), value)) refuse(column, "a number of seconds");
    return value;
  }
  [[nodiscard]] SimTime span(Column column) const {
    const SimTime value = seconds(column);
    if (value < SimTime(0)) refuse(column, "seconds from 0");
    return value;
  }
  [[nodiscard]] SimTime deadline(SimTime submission) const {
    const SimTime value = seconds(Column::kDeadline);
    if (value <= submission) refuse(Column::kDeadline, "seconds after the submission");
    return value;
  }
  [[nodiscard]] std::optional<double> amount(Column column, double least) const {
    if (!is_stated(column)) return std::nullopt;
    double value = 0;
    if (!read_number(text(column), value) || value < least) {
      refuse(column, fmt::format("a number from {}", least));
    }
    return value;
  }
  /// Names are numbered as they come.
  [[nodiscard]] std::int32_t user() {
    const auto next = static_cast<std::int32_t>(users_.size());
    return users_.try_emplace(std::string(text(Column::kUser)), next).first->second;
  }
  /// hpcwld has jobs that used no core at all.
  [[nodiscard]] std::int32_t nodes() const {
    const bool may_be_none = header_[static_cast<std::size_t>(Column::kNodes)] == "cores_used";
    double value = 0;
    const bool is_number = read_number(text(Column::kNodes), value);
    if (!is_number || value < (may_be_none ? 0 : 1) || value != std::floor(value) ||
        value > std::numeric_limits<std::int32_t>::max()) {
      refuse(Column::kNodes, may_be_none ? "a whole number from 0" : "a whole number from 1");
    }
    return static_cast<std::int32_t>(value);
  }

  const JobLines& lines_;
  std::size_t width_ = 0;
  std::array<std::optional<std::size_t>, kColumns> places_{};
  std::array<std::string_view, kColumns> header_{};
  std::vector<std::string_view> fields_;
  std::int64_t rows_ = 0;
  SimTime submission_{0};
  std::map<std::string, std::int32_t> users_;
};

}  // namespace

void visit_job_csv(std::string_view text, std::string_view name,
                   const std::function<void(const Job&)>& visit) {
  JobLines lines(text, name);
  std::string_view line;
  if (!lines.next(line)) lines.fail("the file is empty, expected a header line and jobs");
  RowReader rows(line, lines);
  bool has_jobs = false;
  while (lines.next(line)) {
    visit(rows.read(line));
    has_jobs = true;
  }
  if (!has_jobs) lines.fail("the file has a header line but no jobs");
}

}  // namespace cospot
