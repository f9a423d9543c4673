#include "sim_harness/advise/plan_share.hpp"

namespace cospot {

CapacityShares capacity_shares(const PlanFindings& findings, const PlanRun& run, std::size_t part) {
  const WindowParts& parts = findings.datacenter.parts;
  const double capacity = static_cast<double>(findings.datacenter.host.sum(run.hosts).vcpus) *
                          static_cast<double>((parts.end(part) - parts.begin(part)).count());
  const auto share = [&](Level level) {
    return static_cast<double>(run.parts[part].of(level).earned) / capacity;
  };
  CapacityShares shares{
      .vms = share(Level::kVm), .economy = share(Level::kEconomy), .spots = share(Level::kSpot)};
  shares.idle = 1 - shares.vms - shares.economy - shares.spots;
  return shares;
}

}  // namespace cospot
