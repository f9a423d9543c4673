#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace cospot {

/// What a TerminalMeter counts.
enum class MeterUnit : std::uint8_t { kRows, kBytes, kEvents, kBatches };

/// While one lives, TerminalMeters show; without any they are silent, as the library must be inside
/// another program. An inner one may turn them off for a while.
class ShowMeters {
 public:
  explicit ShowMeters(bool shown = true);
  ShowMeters(const ShowMeters&) = delete;
  ShowMeters& operator=(const ShowMeters&) = delete;
  ~ShowMeters();

 private:
  bool before_;
};

/// One line on standard error that tells how far a long task is, redrawn at most ten times a second
/// and removed at the end. Shows nothing when standard error is not a terminal, or while another
/// thread's meter is there.
class TerminalMeter {
 public:
  TerminalMeter(std::string task, MeterUnit unit);
  TerminalMeter(const TerminalMeter&) = delete;
  TerminalMeter& operator=(const TerminalMeter&) = delete;
  ~TerminalMeter();

  /// Says the task in other words from now on.
  void rename(std::string task) { task_ = std::move(task); }

  /// `total` is 0 when it is not known.
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
