#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace cospot {

/// The unit that a TerminalMeter counts.
enum class MeterUnit : std::uint8_t { kRows, kBytes, kEvents, kBatches };

/// While one exists, TerminalMeters are shown. Otherwise they are silent, as a library should be. A
/// nested one can turn them off temporarily.
class ShowMeters {
 public:
  explicit ShowMeters(bool shown = true);
  ShowMeters(const ShowMeters&) = delete;
  ShowMeters& operator=(const ShowMeters&) = delete;
  ~ShowMeters();

 private:
  bool before_;
};

/// A progress line on standard error for a long task, redrawn at most ten times a second and
/// removed at the end. Shows nothing if standard error is not a terminal or another thread's meter
/// is active.
class TerminalMeter {
 public:
  TerminalMeter(std::string task, MeterUnit unit);
  TerminalMeter(const TerminalMeter&) = delete;
  TerminalMeter& operator=(const TerminalMeter&) = delete;
  ~TerminalMeter();

  /// Changes the description of the task.
  void rename(std::string task) { task_ = std::move(task); }

  /// `total` is 0 if unknown.
  void update(std::uint64_t done, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;

  std::string task_;
  MeterUnit unit_;
  bool shows_;
  bool drawn_ = false;
  Clock::time_point next_draw_;
};

/// `12.3 of 51.0 MB (24 %)` or `1200000 of 5234567 rows (22 %)`.
[[nodiscard]] std::string meter_text(MeterUnit unit, std::uint64_t done, std::uint64_t total);

}  // namespace cospot
