#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>

namespace cospot {

/// The progress of a comparison.
struct ProgressState {
  std::size_t done = 0;     ///< runs, including those of earlier invocations
  std::size_t total = 0;    ///< runs
  std::size_t skipped = 0;  ///< runs finished before this invocation
  std::chrono::duration<double> elapsed{0};
};

/// Shows the progress of a comparison. Called by one thread at a time.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void update(const ProgressState& state) = 0;

  /// The last update; `complete` is false if the work was stopped.
  virtual void finish(const ProgressState& state, bool complete) = 0;
};

/// One line on a terminal, redrawn at most ten times a second:
/// `[#########...........] 1080/2400 runs  151.2 runs/s  9 s left`.
class ProgressBar final : public ProgressSink {
 public:
  explicit ProgressBar(std::ostream& terminal) : terminal_(&terminal) {}
  void update(const ProgressState& state) override;
  void finish(const ProgressState& state, bool complete) override;

 private:
  std::ostream* terminal_;
  std::chrono::duration<double> next_draw_{0};
};

/// A plain line for a log file for every tenth completed, if the work takes 2 s or more.
class ProgressLines final : public ProgressSink {
 public:
  explicit ProgressLines(std::ostream& log) : log_(&log) {}
  void update(const ProgressState& state) override;
  void finish(const ProgressState& state, bool complete) override;

 private:
  std::ostream* log_;
  std::size_t tenths_ = 0;  ///< number of tenths announced
};

class NoProgress final : public ProgressSink {
 public:
  void update(const ProgressState& /*state*/) override {}
  void finish(const ProgressState& /*state*/, bool /*complete*/) override {}
};

/// A sink suited to standard error: a bar on a terminal, lines otherwise, nothing if `quiet`.
[[nodiscard]] std::unique_ptr<ProgressSink> make_progress(bool quiet);

/// Counts runs finished by several threads, and shows the progress.
class RunCounter {
 public:
  /// Args: sink: may be null. skipped: runs of the total that were finished before.
  RunCounter(ProgressSink* sink, std::size_t total, std::size_t skipped = 0)
      : sink_(sink), state_{.done = skipped, .total = total, .skipped = skipped} {}

  void add(std::size_t runs);
  void finish(bool complete);
  /// Sets the total number of runs; no other thread may count at the same time.
  void set_total(std::size_t total) { state_.total = total; }

  [[nodiscard]] std::size_t total() const { return state_.total; }
  [[nodiscard]] std::size_t done() const { return state_.done; }

 private:
  ProgressSink* sink_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;  ///< guards the state and the sink
  ProgressState state_;
};

/// `1080/2400 runs  151.2 runs/s  9 s left`.
[[nodiscard]] std::string progress_text(const ProgressState& state);

}  // namespace cospot
