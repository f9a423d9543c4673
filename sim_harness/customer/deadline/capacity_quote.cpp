#include "sim_harness/customer/deadline/capacity_quote.hpp"

namespace cospot {

CapacityQuote quote_of(const AvailabilityTrace& trace, std::size_t end) {
  constexpr double kAssumedHours = 4;
  const double tick_hours = std::chrono::duration<double, std::ratio<3600>>(trace.tick).count();
  double up_hours = kAssumedHours, down_hours = kAssumedHours;
  double ups = 1, downs = 1;
  for (std::size_t i = 0; i < end && i < trace.capacity.size(); ++i) {
    const bool is_up = trace.capacity[i] > 0;
    (is_up ? up_hours : down_hours) += tick_hours;
    if (i == 0 || (trace.capacity[i - 1] > 0) != is_up) ++(is_up ? ups : downs);
  }
  return {.up_hours = up_hours / ups, .down_hours = down_hours / downs};
}

}  // namespace cospot
