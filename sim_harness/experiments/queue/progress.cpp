#include "sim_harness/experiments/queue/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace cospot {
namespace {

constexpr std::size_t kBarWidth = 30;
constexpr std::chrono::duration<double> kRedrawEvery{0.1};
/// A log says nothing of work that is over before.
constexpr std::chrono::duration<double> kWorthALine{2};

std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::ceil(seconds));
  const auto minutes = static_cast<std::uint64_t>(std::ceil(seconds / 60));
  if (minutes < 90) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string bar_text(const ProgressState& state) {
  const std::size_t filled = state.total == 0 ? kBarWidth : state.done * kBarWidth / state.total;
  return fmt::format("[{}{}] {}", std::string(filled, '#'), std::string(kBarWidth - filled, '.'),
                     progress_text(state));
}

}  // namespace

std::string progress_text(const ProgressState& state) {
  std::string text = fmt::format("{}/{} runs", state.done, state.total);
  const auto done_now = static_cast<double>(state.done - state.skipped);
  if (done_now == 0 || state.elapsed.count() <= 0) return text;
  const double rate = done_now / state.elapsed.count();
  text += fmt::format("  {:.1f} runs/s", rate);
  if (state.done < state.total) {
    const auto left = static_cast<double>(state.total - state.done);
    text += fmt::format("  {} left", duration_text(left / rate));
  }
  return text;
}

void ProgressBar::update(const ProgressState& state) {
  if (state.elapsed < next_draw_) return;
  next_draw_ = state.elapsed + kRedrawEvery;
  // Return to the line's start and clear it, so that a shorter text leaves nothing behind.
  *terminal_ << "\r\x1b[K" << bar_text(state) << std::flush;
}

void ProgressBar::finish(const ProgressState& state, bool complete) {
  *terminal_ << "\r\x1b[K" << bar_text(state) << (complete ? "\n" : " (stopped)\n") << std::flush;
}

void ProgressLines::update(const ProgressState& state) {
  const std::size_t tenths = state.total == 0 ? 10 : state.done * 10 / state.total;
  if (tenths <= tenths_ || state.done == state.total || state.elapsed < kWorthALine) return;
  tenths_ = tenths;
  *log_ << progress_text(state) << std::endl;
}

void ProgressLines::finish(const ProgressState& state, bool complete) {
  tenths_ = 0;
  if (complete && state.elapsed < kWorthALine) return;
  *log_ << progress_text(state) << (complete ? "" : " (stopped)") << std::endl;
}

void RunCounter::add(std::size_t runs) {
  const std::scoped_lock lock(mutex_);
  state_.done += runs;
  state_.total = std::max(state_.total, state_.done);
  state_.elapsed = std::chrono::steady_clock::now() - start_;
  if (sink_ != nullptr) sink_->update(state_);
}

void RunCounter::finish(bool complete) {
  state_.elapsed = std::chrono::steady_clock::now() - start_;
  if (sink_ != nullptr) sink_->finish(state_, complete);
}

std::unique_ptr<ProgressSink> make_progress(bool quiet) {
  if (quiet) return std::make_unique<NoProgress>();
  if (isatty(STDERR_FILENO) != 0) return std::make_unique<ProgressBar>(std::cerr);
  return std::make_unique<ProgressLines>(std::cerr);
}

}  // namespace cospot
