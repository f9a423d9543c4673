#include "core/model/live_hosts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/errors.hpp"

namespace cospot {

namespace {

/// No request fits: one vcpu that is in use.
constexpr ResourceVector kFull{.vcpus = 1, .memory_mb = 1};

std::vector<HostSpec> full_hosts(const std::vector<std::string>& names) {
  std::vector<HostSpec> hosts;
  hosts.reserve(names.size());
  for (const std::string& name : names) {
    hosts.push_back({.name = name, .total = kFull, .vm_used = kFull});
  }
  return hosts;
}

ResourceVector use_of(const std::vector<RunningSpot>& spots, const std::string& host) {
  const SpotSum sum = sum_of(spots);
  if (sum.most() > kMaxResourceAmount) {
    throw ConfigError("host '" + host + "': its spots hold " + std::to_string(sum.most()) +
                      " of a resource, expected at most " + std::to_string(kMaxResourceAmount));
  }
  return {static_cast<ResourceAmount>(sum.vcpus), static_cast<ResourceAmount>(sum.memory_mb),
          static_cast<ResourceAmount>(sum.disk_gb)};
}

}  // namespace

LiveHosts::LiveHosts(const std::vector<std::string>& names)
    : hosts_(full_hosts(names)), spots_(names.size()) {
  hosts_.lend_spots(spots_);
}

void LiveHosts::set_host(HostIndex host, HostSpec spec, std::vector<RunningSpot> spots) {
  spec.spot_used = use_of(spots, spec.name);
  spec.num_spots = static_cast<std::int32_t>(spots.size());
  hosts_.replace(host, spec);
  spots_.replace(host, std::move(spots));
}

std::vector<std::uint8_t> LiveHosts::fits(std::span<const HostIndex> rows, const Request& request,
                                          Sees sees) const {
  std::vector<std::uint8_t> fits;
  fits.reserve(rows.size());
  for (const HostIndex row : rows) {
    fits.push_back(request.resources().fits_in(hosts_.free(row, sees)) ? 1 : 0);
  }
  return fits;
}

}  // namespace cospot
