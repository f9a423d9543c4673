#include "sim_harness/data/prices/workload_prices.hpp"

#include "sim_harness/data/workloads/load_workload.hpp"

namespace cospot {

void WorkloadPrices::add(const PriceList& list, const Workload& workload, const VcpusUnit& unit) {
  const VcpuHourPrices prices = list.of(workload, unit);
  by_workload[workload.name] = prices.in({.vcpus = 1 / unit.vcpus});
}

WorkloadPrices prices_of_workloads(const PriceList& list, std::span<const WorkloadSpec> specs) {
  WorkloadPrices prices{
      .vcpu_hour = list.vcpu_hour, .source = list.source, .currency = list.currency};
  if (list.flavors.empty()) return prices;
  for (const WorkloadSpec& spec : specs) {
    // The study may know Economy instances; theirs is the price on demand.
    prices.add(list, load_workload(spec, WorkloadClasses::kWithEconomy), vcpus_unit_of(spec));
  }
  return prices;
}

}  // namespace cospot
