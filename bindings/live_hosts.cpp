#include "bindings/live_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "bindings/rank_hosts.hpp"
#include "core/errors.hpp"

namespace cospot::bindings {

namespace py = pybind11;

namespace {

/// No request fits: one vcpu that is in use.
constexpr ResourceVector kFull{.vcpus = 1, .memory_mb = 1};

std::shared_ptr<HostTable> full_hosts(const std::vector<std::string>& names) {
  std::vector<HostSpec> hosts;
  hosts.reserve(names.size());
  for (const std::string& name : names) {
    hosts.push_back({.name = name, .total = kFull, .vm_used = kFull});
  }
  return std::make_shared<HostTable>(hosts);
}

ResourceVector sum_of(const std::vector<RunningSpot>& spots, const std::string& host) {
  std::array<std::int64_t, 3> sums{};
  for (const RunningSpot& spot : spots) {
    sums[0] += spot.resources.vcpus;
    sums[1] += spot.resources.memory_mb;
    sums[2] += spot.resources.disk_gb;
  }
  const std::int64_t most = *std::max_element(sums.begin(), sums.end());
  if (most > kMaxResourceAmount) {
    throw ConfigError(fmt::format("host '{}': its spots hold {} of a resource, expected at most {}",
                                  host, most, kMaxResourceAmount));
  }
  return {static_cast<ResourceAmount>(sums[0]), static_cast<ResourceAmount>(sums[1]),
          static_cast<ResourceAmount>(sums[2])};
}

}  // namespace

LiveHosts::LiveHosts(const std::vector<std::string>& names)
    : hosts_(full_hosts(names)), spots_on_(names.size()) {}

void LiveHosts::set_host(HostIndex host, HostSpec spec, std::vector<RunningSpot> spots) {
  const py::gil_scoped_release unlocked;
  spec.spot_used = sum_of(spots, spec.name);
  spec.num_spots = static_cast<std::int32_t>(spots.size());
  const std::lock_guard lock(mutex_);
  hosts_->replace(host, spec);
  spots_on_[host] = std::move(spots);
}

std::vector<HostIndex> LiveHosts::rank(std::span<const HostIndex> rows, const Chain& chain,
                                       const Request& request) const {
  const py::gil_scoped_release unlocked;
  ScanBuffers buffers;
  const std::lock_guard lock(mutex_);
  chain.weigh(hosts_->view(), rows, request, buffers.scan, buffers.ranked);
  std::sort(buffers.ranked.begin(), buffers.ranked.end(),
            [](const RankedHost& a, const RankedHost& b) { return a.ranks_before(b); });
  std::vector<HostIndex> order;
  order.reserve(buffers.ranked.size());
  for (const RankedHost& host : buffers.ranked) order.push_back(host.host);
  return order;
}

HostChoice LiveHosts::choose(std::span<const HostIndex> rows, const Evictor& evictor,
                             const Request& request) const {
  const py::gil_scoped_release unlocked;
  SpotSide side(evictor);
  side.start(request);
  const std::lock_guard lock(mutex_);
  for (const HostIndex row : rows) {
    if (!side.consider(*hosts_, row, spots_on_[row])) break;
  }
  return {.host = side.host(), .victims = side.plan().victims, .score = side.plan().score};
}

std::vector<std::uint8_t> LiveHosts::has_room(std::span<const HostIndex> rows,
                                              const Request& request, Sees sees) const {
  const py::gil_scoped_release unlocked;
  std::vector<std::uint8_t> fits;
  fits.reserve(rows.size());
  const std::lock_guard lock(mutex_);
  for (const HostIndex row : rows) {
    fits.push_back(request.resources().fits_in(hosts_->free(row, sees)) ? 1 : 0);
  }
  return fits;
}

}  // namespace cospot::bindings
