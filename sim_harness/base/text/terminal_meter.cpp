#include "sim_harness/base/text/terminal_meter.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <utility>

#include "core/printable_text.hpp"

namespace cospot {
namespace {

constexpr std::chrono::milliseconds kRedrawEvery{100};
constexpr double kMegabyte = 1e6;

std::atomic<bool> meters_show{false};
std::atomic<bool> line_is_taken{false};

const char* unit_name(MeterUnit unit) {
  switch (unit) {
    case MeterUnit::kRows:
      return "rows";
    case MeterUnit::kEvents:
      return "events";
    case MeterUnit::kBatches:
      return "batches";
    case MeterUnit::kBytes:
      break;
  }
  return "MB";
}

std::string amount_text(MeterUnit unit, std::uint64_t amount) {
  if (unit != MeterUnit::kBytes) return fmt::format("{}", amount);
  return fmt::format("{:.1f}", static_cast<double>(amount) / kMegabyte);
}

}  // namespace

std::string meter_text(MeterUnit unit, std::uint64_t done, std::uint64_t total) {
  const char* name = unit_name(unit);
  if (total == 0) return fmt::format("{} {}", amount_text(unit, done), name);
  const double percent = 100 * static_cast<double>(done) / static_cast<double>(total);
  return fmt::format("{} of {} {} ({:.0f} %)", amount_text(unit, done), amount_text(unit, total),
                     name, percent);
}

ShowMeters::ShowMeters(bool shown) : before_(meters_show.exchange(shown)) {}

ShowMeters::~ShowMeters() { meters_show = before_; }

TerminalMeter::TerminalMeter(std::string task, MeterUnit unit)
    : task_(std::move(task)),
      unit_(unit),
      shows_(meters_show && isatty(STDERR_FILENO) != 0),
      next_draw_(Clock::now() + kRedrawEvery) {}

TerminalMeter::~TerminalMeter() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  line_is_taken = false;
}

void TerminalMeter::update(std::uint64_t done, std::uint64_t total) {
  if (!shows_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kRedrawEvery;
  if (!drawn_ && line_is_taken.exchange(true)) return;
  drawn_ = true;
  // Return to the line's start and clear it, so that a shorter text leaves nothing behind.
  fmt::print(stderr, "\r\x1b[K{}: {}", printable_line(task_), meter_text(unit_, done, total));
  std::fflush(stderr);
}

}  // namespace cospot
