#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// One batch job as a log records it. What the log does not know is empty: -1 in an SWF log, a
/// column that a job CSV does not have.
struct Job {
  std::int64_t id = 0;                       ///< SWF: the job's number; CSV: the row's, from 1
  SimTime submission{0};                     ///< as the file counts: since its start, or Unix time
  std::optional<SimTime> wait{};             ///< from submission to start
  std::optional<SimTime> duration{};         ///< from start to end
  std::optional<std::int32_t> processors{};  ///< allocated; in a job CSV the nodes
  std::optional<double> average_cpu_s{};     ///< used, a processor
  std::optional<double> used_memory_kb{};    ///< a processor
  std::optional<std::int32_t> requested_processors{};
  std::optional<SimTime> requested_time{};  ///< the user's estimate of the duration
  std::optional<double> requested_memory_kb{};
  std::optional<std::int32_t> status{};  ///< 0 failed, 1 completed, 5 cancelled
  std::optional<std::int32_t> user{};
  std::optional<std::int32_t> group{};
  std::optional<std::int32_t> application{};
  std::optional<std::int32_t> queue{};
  std::optional<std::int32_t> partition{};
  std::optional<std::int64_t> preceding_job{};
  std::optional<SimTime> think_time{};  ///< after the preceding job's end

  // Of a job CSV only.
  std::optional<SimTime> estimate{};    ///< of the duration, by the customer
  std::optional<SimTime> deadline{};    ///< counted as the submission
  std::optional<double> parallelism{};  ///< cores that it can use on the mean: Downey's A
  std::optional<double> sigma{};        ///< variance of the parallelism: Downey's sigma
  std::optional<double> memory_mb{};    ///< that an instance must have for it

  /// When it started; at once where the wait is not known.
  [[nodiscard]] SimTime start() const { return submission + wait.value_or(SimTime(0)); }
  /// What it occupied; one where that is not known.
  [[nodiscard]] std::int32_t width() const {
    return processors.value_or(requested_processors.value_or(1));
  }

  friend bool operator==(const Job&, const Job&) = default;
};

/// A line such as `; MaxProcs: 128` at the start of an SWF log. A key may come more than once.
struct JobLogStatement {
  std::string key;
  std::string value;
};

/// Batch jobs in file order, which need not be that of their submission.
struct JobLog {
  std::string name{};    ///< the file, as the command or the sweep file names it
  std::string sha256{};  ///< of the file's bytes as stored (compressed if it is)
  std::vector<JobLogStatement> statements{};
  std::vector<Job> jobs{};

  /// The value of the first statement with that key, or nothing.
  [[nodiscard]] std::optional<std::string> statement(std::string_view key) const {
    for (const JobLogStatement& each : statements) {
      if (each.key == key) return each.value;
    }
    return std::nullopt;
  }
};

}  // namespace cospot
