#include "guarantees/pricing/host_revocations.hpp"

#include <numeric>

namespace cospot {

HostRevocations::HostRevocations(const std::vector<double>& spot_hours,
                                 const std::vector<double>& evictions) {
  const double all_hours = std::accumulate(spot_hours.begin(), spot_hours.end(), 0.0);
  const double all_evictions = std::accumulate(evictions.begin(), evictions.end(), 0.0);
  if (all_evictions <= 0 || all_hours <= 0) return;
  const double rate = all_evictions / all_hours;
  rates_.reserve(spot_hours.size());
  for (std::size_t host = 0; host < spot_hours.size(); ++host) {
    rates_.push_back((evictions[host] + rate * kPriorHours) / (spot_hours[host] + kPriorHours));
  }
}

}  // namespace cospot
