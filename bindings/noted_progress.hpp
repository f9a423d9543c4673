#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/watched_work.hpp"
#include "bindings/workloads.hpp"
#include "sim_harness/experiments/queue/progress.hpp"

namespace cospot::bindings {

/// Keeps how far the work is for the thread that asks.
class NotedProgress final : public ProgressSink {
 public:
  void update(const ProgressState& state) override { note(state); }
  void finish(const ProgressState& state, bool /*complete*/) override { note(state); }

  [[nodiscard]] ProgressState latest() const {
    const std::scoped_lock lock(mutex_);
    return state_;
  }

 private:
  void note(const ProgressState& state) {
    const std::scoped_lock lock(mutex_);
    state_ = state;
  }

  mutable std::mutex mutex_;
  ProgressState state_;
};

/// The function that the argument `progress` asks for; None: none. Errors: TypeError.
[[nodiscard]] inline pybind11::object read_progress(const pybind11::object& progress) {
  return pybind11::module_::import("cospot.progress").attr("progress_function")(progress);
}

/// Tells the caller's function how far the work is, whenever there is news, and warns of the
/// workloads.
class Reporter {
 public:
  Reporter(const NotedProgress& noted, pybind11::object progress)
      : noted_(&noted), progress_(std::move(progress)) {}

  /// Runs work as run_watched does, and tells of it.
  void run(const std::function<void()>& work) {
    const auto tell = [this] {
      warn_once();
      report();
    };
    run_watched(work, tell);
    tell();
  }

  /// Called without Python's lock.
  void note_warnings(std::vector<std::string> warnings) {
    const std::scoped_lock lock(mutex_);
    warnings_ = std::move(warnings);
  }

 private:
  /// Gives the warnings of the workloads, once they are read.
  void warn_once() {
    std::vector<std::string> warnings;
    {
      const std::scoped_lock lock(mutex_);
      warnings.swap(warnings_);
    }
    warn(warnings);
  }

  void report() {
    if (progress_.is_none()) return;
    const ProgressState state = noted_->latest();
    const std::pair news(state.done, state.total);
    if (reported_ == news || state.total == 0) return;
    reported_ = news;
    progress_(state.done, state.total);
  }

  const NotedProgress* noted_;
  pybind11::object progress_;
  std::optional<std::pair<std::size_t, std::size_t>> reported_;  // done, total

  std::mutex mutex_;                   ///< guards what follows
  std::vector<std::string> warnings_;  ///< not yet given to Python
};

}  // namespace cospot::bindings
