#include "guarantees/pricing/class_table.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "guarantees/pricing/predictability.hpp"

namespace cospot {
namespace {

/// The days of one class. Servers count by their size.
struct ClassDays {
  std::vector<DayOfIdle> idle;
  std::vector<Moments> log_lengths;
  DayOfIdle sum{};      ///< of all days
  DayOfIdle squares{};  ///< of revocations, with the squares of sizes

  /// The days in servers that are worth as many independent ones: a host that holds twice as much
  /// as another is revoked as often, so that counting it twice would make an interval too narrow.
  /// Where no revocation was seen, nothing says that the servers would not all be revoked at once:
  /// together they are one, that was idle for `mean_idle_hours`.
  [[nodiscard]] std::vector<DayOfIdle> effective(double mean_idle_hours) const {
    const double by = sum.revocations > 0 ? sum.revocations / squares.revocations
                                          : mean_idle_hours / sum.idle_hours;
    std::vector<DayOfIdle> days = idle;
    for (DayOfIdle& day : days) {
      day.idle_hours *= by;
      day.revocations *= by;
    }
    return days;
  }
};

/// Sums up the periods of each class by days of the span.
class DayBook {
 public:
  DayBook(const IdleRecord& record, std::size_t classes, std::vector<std::size_t> class_of)
      : begin_(record.span.begin), class_of_(std::move(class_of)) {
    const auto days = static_cast<std::size_t>(
        std::max<std::int64_t>(1, (record.span.length() + kDay - SimTime(1)) / kDay));
    days_.assign(classes, {std::vector<DayOfIdle>(days), std::vector<Moments>(days)});
    record.periods([&](const IdlePeriod& period) {
      add(period, static_cast<double>(record.size_of(period.server)));
    });
  }

  [[nodiscard]] const ClassDays& of(std::size_t c) const { return days_[c]; }

 private:
  void add(const IdlePeriod& period, double size) {
    ClassDays& found = days_[class_of_[period.server]];
    const std::size_t last = std::min(day_of(period.end), found.idle.size() - 1);
    for (std::size_t day = day_of(period.begin); day <= last; ++day) {
      const SimTime first = std::max(period.begin, begin_ + static_cast<int>(day) * kDay);
      const SimTime end = std::min(period.end, begin_ + static_cast<int>(day + 1) * kDay);
      if (end > first) found.idle[day].idle_hours += size * hours_of(end - first);
    }
    found.sum.idle_hours += size * hours_of(period.length());
    if (!period.revoked) return;
    found.idle[last].revocations += size;
    found.sum.revocations += size;
    found.squares.revocations += size * size;
    found.log_lengths[last].add(std::log(hours_of(period.length())));
  }
  [[nodiscard]] std::size_t day_of(SimTime time) const {
    return static_cast<std::size_t>((time - begin_) / kDay);
  }

  SimTime begin_;
  std::vector<std::size_t> class_of_;  ///< of each rank, from the most available class on
  std::vector<ClassDays> days_;
};

std::vector<std::size_t> class_of_ranks(const std::vector<std::size_t>& sizes, std::size_t ranks) {
  std::vector<std::size_t> class_of(ranks);
  std::size_t end = ranks;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    for (std::size_t i = 0; i < sizes[c]; ++i) class_of[--end] = c;
  }
  return class_of;
}

}  // namespace

std::vector<ServerIdle> IdleRecord::totals() const {
  std::vector<ServerIdle> found(servers);
  for (std::size_t server = 0; server < servers; ++server) found[server].size = size_of(server);
  periods([&found](const IdlePeriod& period) {
    found[period.server].idle += period.length();
    found[period.server].revocations += period.revoked ? 1 : 0;
  });
  return found;
}

IdleRecord idle_record(const Demand& demand, std::size_t servers, TimeSpan span) {
  return {.servers = servers, .span = span, .periods = [&demand, servers, span](const auto& visit) {
            for_each_idle_period(demand, servers, span, visit);
          }};
}

IdleRecord idle_record(std::vector<IdlePeriod> periods, std::size_t servers, TimeSpan span) {
  (void)idle_by_server(periods, servers);  // checks them
  std::erase_if(periods, [](const IdlePeriod& each) { return each.length() < kLeastIdle; });
  const auto kept = std::make_shared<const std::vector<IdlePeriod>>(std::move(periods));
  return {.servers = servers, .span = span, .periods = [kept](const auto& visit) {
            for (const IdlePeriod& period : *kept) visit(period);
          }};
}

std::vector<OfferedClass> class_table(const IdleRecord& record, const IdleCapacity& capacity,
                                      const Partition& partition, const ClassPricing& pricing) {
  const std::vector<std::size_t> sizes = class_sizes(capacity, partition);
  const DayBook book(record, sizes.size(), class_of_ranks(sizes, record.servers));
  std::vector<OfferedClass> table;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    const ClassSums sums = sums_of(capacity, partition, sizes.size() - 1 - c);
    OfferedClass offered{.ranks = sizes[c], .sums = sums};
    offered.mttr_hours = sums.mttr(pricing.mttr);
    offered.interval =
        time_to_revocation_interval(book.of(c).effective(sums.idle_hours / sums.size));
    offered.performance = sums.performance(pricing);
    offered.equilibrium_price = price(PriceRule::kEquilibrium, offered.performance);
    offered.price = sums.price(pricing);
    offered.availability = sums.idle_hours / (sums.size * hours_of(record.span.length()));
    offered.revocations_per_day = 24 * sums.revocations / sums.idle_hours;
    offered.predictability = predictability(book.of(c).log_lengths);
    table.push_back(offered);
  }
  return table;
}

}  // namespace cospot
