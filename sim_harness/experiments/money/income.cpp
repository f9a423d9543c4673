#include "sim_harness/experiments/money/income.hpp"

#include <vector>

#include "sim_harness/data/prices/price_list.hpp"

namespace cospot {

double Income::net_per_month() const { return net() / days * kDaysPerMonth; }

Income& Income::operator+=(const Income& other) {
  vms_requested += other.vms_requested;
  vms_lost += other.vms_lost;
  spots_requested += other.spots_requested;
  spots_earned += other.spots_earned;
  economy_earned += other.economy_earned;
  days += other.days;
  return *this;
}

MeanInterval net_per_month(std::span<const Income> parts) {
  return gain_per_month(parts, std::vector<Income>(parts.size()));
}

MeanInterval gain_per_month(std::span<const Income> parts, std::span<const Income> others) {
  std::vector<double> amounts, months;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    amounts.push_back(parts[i].net() - others[i].net());
    months.push_back(parts[i].days / kDaysPerMonth);
  }
  return ratio_interval(amounts, months);
}

}  // namespace cospot
