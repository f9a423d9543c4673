#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

namespace cospot {

/// Reads the lines of a log in the Standard Workload Format one after the other, for every command
/// alike. Lines that start with `;` are comments; every other line is a job of 18 fields, of which
/// -1 is unknown. Further fields (some logs append their own) are ignored.
///
/// A job that was checkpointed has a line for the whole of it and then one for each stretch that it
/// ran (status 2: to be continued, 3 and 4: the last). Only the whole counts, as the standard says
/// of workloads; a stretch of a job without such a line is a job.
class SwfRows {
 public:
  enum class Kind : std::uint8_t { kComment, kJob, kStretch, kFault };

  enum Field : std::size_t {
    kJobNumber,
    kSubmitTime,
    kWaitTime,
    kRunTime,
    kProcessors,
    kAverageCpuTime,
    kUsedMemory,
    kRequestedProcessors,
    kRequestedTime,
    kRequestedMemory,
    kStatus,
    kUserId,
    kGroupId,
    kApplication,
    kQueue,
    kPartition,
    kPrecedingJob,
    kThinkTime,
    kFieldCount
  };
  static constexpr std::array<std::string_view, kFieldCount> kNames{
      "job_number",     "submit_time",      "wait_time",   "run_time",
      "processors",     "average_cpu_time", "used_memory", "requested_processors",
      "requested_time", "requested_memory", "status",      "user",
      "group",          "application",      "queue",       "partition",
      "preceding_job",  "think_time"};

  /// Splits a line. The fields are valid as long as it is.
  [[nodiscard]] Kind read(std::string_view line);

  /// The fields of a job; empty: unknown. A run time that leads back to time 0 is that of an end
  /// that was never recorded, so it is unknown too.
  [[nodiscard]] std::span<const std::string_view> fields() const { return fields_; }
  /// The field as written.
  [[nodiscard]] std::string_view written(std::size_t field) const { return written_[field]; }
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  [[nodiscard]] bool is_stretch();
  [[nodiscard]] double number(Field field) const;

  std::array<std::string_view, kFieldCount> written_{};
  std::array<std::string_view, kFieldCount> fields_{};
  std::string fault_;
  std::unordered_set<std::int64_t> whole_jobs_;  ///< numbers of their lines; never iterated
};

}  // namespace cospot
