#include "guarantees/economy/slack.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"

namespace cospot {
namespace {

std::int64_t period_of(SimTime time, SimTime length) {
  const std::int64_t quotient = time / length;
  return quotient - (time % length < SimTime(0) ? 1 : 0);  // downwards, also before time 0
}

/// The usual distance of two samples: their median.
SimTime usual_spacing(const std::vector<UsageSample>& samples) {
  std::vector<SimTime> distances;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    distances.push_back(samples[i].time - samples[i - 1].time);
  }
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

/// The periods [first, end) that the samples cover.
struct Covered {
  std::int64_t first;
  std::int64_t end;
};

Covered covered_periods(const UsageSeries& usage, SimTime length) {
  const SimTime first = usage.samples.front().time;
  const SimTime last = usage.samples.back().time;
  // A measured sample stands for the time to the next one.
  const SimTime spacing = usage.holds_until_next ? SimTime(0) : usual_spacing(usage.samples);
  Covered covered{period_of(first, length), period_of(last + spacing, length)};
  const SimTime missing = first - covered.first * length;
  if (missing > SimTime(0) && missing >= spacing) ++covered.first;
  return covered;
}

[[noreturn]] void refuse_gap(const UsageSeries& usage, SimTime begin, SimTime length) {
  throw InputError(
      fmt::format("{}: there is no sample from time_s {} to {}, expected at least one in every "
                  "period of {} h; `gaps: repeat` takes the period before for it",
                  usage.name, begin.count() / kSlackUnit, (begin + length).count() / kSlackUnit,
                  hours_of(length)));
}

}  // namespace

Slack slack_of(const UsageSample& sample) {
  const SlackAmount limit = sample.limit.value_or(sample.used);
  const SlackAmount reserved = sample.reserved.value_or(limit);
  return {.reservation = sample.capacity - reserved,
          .allocation = reserved - limit,
          .usage = limit - sample.used};
}

SlackPeriods period_minima(const UsageSeries& usage, SimTime length, GapRule gaps) {
  SlackPeriods periods{.length = length};
  if (usage.samples.size() > 1) {
    const Covered covered = covered_periods(usage, length);
    periods.first = covered.first;
    auto sample = usage.samples.begin();
    const auto end = usage.samples.end();
    const auto before = [&sample] { return std::prev(sample); };
    for (std::int64_t period = covered.first; period < covered.end; ++period) {
      const SimTime begin = period * length;
      while (sample != end && sample->time < begin) ++sample;
      const bool is_held = usage.holds_until_next && sample != usage.samples.begin() &&
                           (sample == end || sample->time > begin);
      const bool has_sample = sample != end && sample->time < begin + length;
      if (!is_held && !has_sample) {
        // The first period has a sample, or it would not be covered.
        if (gaps == GapRule::kRefuse || periods.slack.empty()) refuse_gap(usage, begin, length);
        periods.slack.push_back(periods.slack.back());
        periods.capacity.push_back(periods.capacity.back());
        ++periods.repeated;
        continue;
      }
      SlackAmount least = is_held ? slack_of(*before()).total() : slack_of(*sample).total();
      for (; sample != end && sample->time < begin + length; ++sample) {
        least = std::min(least, slack_of(*sample).total());
      }
      periods.slack.push_back(least);
      periods.capacity.push_back(before()->capacity);
    }
  }
  if (periods.size() > 0) return periods;
  throw InputError(
      fmt::format("{}: the samples cover no whole period of {} h, expected more of them",
                  usage.name, hours_of(length)));
}

}  // namespace cospot
