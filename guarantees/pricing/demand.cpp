#include "guarantees/pricing/demand.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"

namespace cospot {

std::int64_t Demand::peak() const {
  std::int64_t most = 0;
  for (const DemandStep& step : steps) most = std::max(most, step.busy);
  return most;
}

void DemandSum::add(SimTime start, SimTime end, std::int64_t width) {
  if (end < start) {
    throw ConfigError(fmt::format("an interval ends at {} us, before it starts at {} us",
                                  end.count(), start.count()));
  }
  if (width < 0) throw ConfigError(fmt::format("a width is {}, expected 0 or more", width));
  if (end == start || width == 0) return;
  starts_.push_back({start, width});
  if (end != kNever) ends_.push_back({end, -width});
}

Demand DemandSum::finish() {
  // Records are mostly in the order of their starts.
  if (!std::ranges::is_sorted(starts_, {}, &Change::time)) {
    std::ranges::sort(starts_, {}, &Change::time);
  }
  std::ranges::sort(ends_, {}, &Change::time);
  Demand demand;
  std::int64_t busy = 0;
  auto start = starts_.begin(), end = ends_.begin();
  while (start != starts_.end() || end != ends_.end()) {
    const bool is_end = start == starts_.end() || (end != ends_.end() && end->time <= start->time);
    const SimTime time = is_end ? end->time : start->time;
    const std::int64_t before = busy;
    for (; end != ends_.end() && end->time == time; ++end) busy += end->by;
    for (; start != starts_.end() && start->time == time; ++start) busy += start->by;
    const bool is_last = start == starts_.end() && end == ends_.end();
    // The last step stands also where nothing changes: it is where the record ends.
    if (busy != before || is_last) demand.steps.push_back({time, busy});
  }
  starts_ = {};
  ends_ = {};
  return demand;
}

}  // namespace cospot
