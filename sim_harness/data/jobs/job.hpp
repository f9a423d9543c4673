#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// One batch job of a log. Values that the log does not state are empty: -1 in an SWF log, or a
/// column missing from a job CSV.
struct Job {
  std::int64_t id = 0;                       ///< SWF: the job's number; CSV: the row's, from 1
  std::size_t line = 0;                      ///< of the file; 0: in none
  SimTime submission{0};                     ///< in the file's time: since its start, or Unix time
  std::optional<SimTime> wait{};             ///< from submission to start
  std::optional<SimTime> duration{};         ///< from start to end
  std::optional<std::int32_t> processors{};  ///< allocated; in a job CSV, nodes
  std::optional<double> average_cpu_s{};     ///< used, per processor
  std::optional<double> used_memory_kb{};    ///< per processor
  std::optional<std::int32_t> requested_processors{};
  std::optional<SimTime> requested_time{};  ///< the user's estimate of the duration
  std::optional<double> requested_memory_kb{};
  std::optional<std::int64_t> status{};  ///< 0 failed, 1 completed, 5 cancelled
  std::optional<std::int64_t> user{};
  std::optional<std::int64_t> group{};
  std::optional<std::int64_t> application{};
  std::optional<std::int64_t> queue{};
  std::optional<std::int64_t> partition{};
  std::optional<std::int64_t> preceding_job{};
  std::optional<SimTime> think_time{};  ///< after the preceding job's end

  // Job CSVs alone have these.
  std::optional<SimTime> estimate{};    ///< the customer's estimate of the duration
  std::optional<SimTime> deadline{};    ///< in the time of the submission
  std::optional<double> parallelism{};  ///< mean number of cores it can use: Downey's A
  std::optional<double> sigma{};        ///< variance of the parallelism: Downey's sigma
  std::optional<double> memory_mb{};    ///< required of an instance

  /// The time of the start; without a known wait, the submission.
  [[nodiscard]] SimTime start() const { return submission + wait.value_or(SimTime(0)); }
  /// The processors occupied; 1 if unknown.
  [[nodiscard]] std::int32_t width() const {
    return processors.value_or(requested_processors.value_or(1));
  }

  /// Tells whether it occupied processors for some time.
  [[nodiscard]] bool has_run() const { return duration && *duration > SimTime(0); }

  friend bool operator==(const Job&, const Job&) = default;
};

/// The time of which a log tells everything, the same for every command: from the first start of a
/// job to the last submission. What ran before, and what was submitted later, is in no log.
struct JobWindow {
  SimTime begin = kNever;
  SimTime end = SimTime::min();

  /// Takes a job in that has run.
  void add(const Job& job) {
    begin = std::min(begin, job.start());
    end = std::max(end, job.submission);
  }
};

/// A line such as `; MaxProcs: 128` at the start of an SWF log. Keys may repeat.
struct JobLogStatement {
  std::string key;
  std::string value;
};

/// Batch jobs in file order, which may differ from the order of submission.
struct JobLog {
  std::string name{};    ///< the file as named by the command or the sweep file
  std::string sha256{};  ///< of the file's bytes as stored (compressed if it is)
  std::vector<JobLogStatement> statements{};
  std::vector<Job> jobs{};
  /// For a log that was made of another table: the places of its lines there.
  std::vector<std::string> places{};

  /// The place of a job, for messages.
  [[nodiscard]] std::string place(const Job& job) const {
    if (job.line > 0 && job.line <= places.size()) return places[job.line - 1];
    return name + ':' + std::to_string(job.line);
  }

  /// The value of the first statement with that key, or nothing.
  [[nodiscard]] std::optional<std::string> statement(std::string_view key) const {
    for (const JobLogStatement& each : statements) {
      if (each.key == key) return each.value;
    }
    return std::nullopt;
  }
};

}  // namespace cospot
