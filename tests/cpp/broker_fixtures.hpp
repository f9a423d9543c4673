#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/customer/broker/broker_simulation.hpp"
#include "sim_harness/studies/broker/broker_settings.hpp"

namespace cospot {

/// One type of 1 ECU and 1740 MB for 0.085 USD/h, in one datacenter for each price history; the
/// week before time 0 costs what the first price does.
inline MarketSet small_markets(const std::vector<std::vector<PriceChange>>& histories) {
  MarketSet set;
  for (std::size_t i = 0; i < histories.size(); ++i) {
    std::vector<PriceChange> changes{{-kBidWindow, histories[i].front().price}};
    for (const PriceChange& change : histories[i]) {
      if (change.price != changes.back().price) changes.push_back(change);
    }
    set.add(types_of_2011()[0], "Linux/UNIX", std::string(1, static_cast<char>('a' + i)),
            PriceSeries(changes));
  }
  return set;
}

/// Work in seconds, and a deadline; the user's estimate is right.
inline BrokerJob serial_job(Seconds submission, double work, Seconds deadline) {
  return {
      .submission = submission, .deadline = deadline, .user = 1, .work = work, .estimate = work};
}

inline BrokerSettings broker_settings(const std::string& bid, const std::string& mechanism,
                                      double alpha = 2) {
  BrokerSettings settings;
  settings.bid = &find_bid(bid);
  settings.fault_tolerance = &find_fault_tolerance(mechanism);
  settings.market_choice = &find_market_choice("preferred");
  settings.alpha = alpha;
  return settings;
}

/// Keeps what happens.
class BrokerEvents final : public BrokerObserver {
 public:
  void happened(const Event& event) override { events.push_back(event); }

  [[nodiscard]] MicroUsd money() const {
    MicroUsd sum = 0;
    for (const Event& event : events) sum += event.amount;
    return sum;
  }
  /// `what` at `time`, how often.
  [[nodiscard]] int count(std::string_view what, Seconds time) const {
    int found = 0;
    for (const Event& event : events) found += event.what == what && event.time == time ? 1 : 0;
    return found;
  }

  std::vector<Event> events;
};

}  // namespace cospot
