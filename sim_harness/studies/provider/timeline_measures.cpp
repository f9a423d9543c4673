#include "sim_harness/studies/provider/timeline_measures.hpp"

#include <utility>

namespace cospot {
namespace {

using Day = TimelineDay;

constexpr int kOfMeans = 3;  // decimals in the CSV

template <class Get>
void add(std::vector<Measure<Day>>& all, const char* name, const char* unit, const char* meaning,
         Get get, int decimals = -1) {
  all.push_back(measure<Day>({.name = name,
                              .role = ColumnRole::kTimeline,
                              .unit = unit,
                              .meaning = meaning,
                              .decimals = decimals},
                             get));
}

/// The nearest number: the sum over the days is to be looked at, not to be counted on.
template <class Member>
auto in_vcpu_seconds(Member revenue) {
  return [revenue](const Day& day) { return vcpu_seconds(day.*revenue); };
}

}  // namespace

std::vector<Measure<Day>> timeline_measures(bool has_economy) {
  std::vector<Measure<Day>> all;
  add(all, "day", "days", "since the window's beginning: 0 is its first day", &Day::day);
  add(all, "hosts_in_use", "hosts", "on which an instance runs; mean over the day",
      &Day::hosts_in_use, kOfMeans);
  add(all, "vms", "VMs", "that run; mean over the day", &Day::vms, kOfMeans);
  if (has_economy) {
    add(all, "economy_instances", "instances", "of the Economy class that run; mean over the day",
        &Day::economy_instances, kOfMeans);
  }
  add(all, "spots", "spots", "that run; mean over the day", &Day::spots, kOfMeans);
  add(all, "evictions", "evictions", "of spots on that day", &Day::evictions);
  add(all, "vm_revenue", "vcpu-seconds", "earned by VMs on that day",
      in_vcpu_seconds(&Day::vm_revenue));
  if (has_economy) {
    add(all, "economy_revenue", "vcpu-seconds", "earned by Economy instances on that day",
        in_vcpu_seconds(&Day::economy_revenue));
  }
  add(all, "spot_revenue", "vcpu-seconds", "earned by spots on that day",
      in_vcpu_seconds(&Day::spot_revenue));
  if (has_economy) {
    add(all, "economy_evictions", "evictions", "of Economy instances on that day",
        &Day::economy_evictions);
  }
  return all;
}

std::optional<PriceKind> price_of_timeline(std::string_view column) {
  if (column == "vm_revenue") return PriceKind::kOnDemand;
  if (column == "economy_revenue") return PriceKind::kEconomy;
  if (column == "spot_revenue") return PriceKind::kSpot;
  return std::nullopt;
}

}  // namespace cospot
