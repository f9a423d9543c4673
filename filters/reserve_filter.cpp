#include "filters/reserve_filter.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/errors.hpp"

namespace cospot {
namespace {

std::int64_t read_amount(const PluginOptions& options, const std::string& key) {
  const double amount = options.read_number(key, 0);
  if (amount >= 0 && amount <= kMaxResourceAmount && amount == std::floor(amount)) {
    return static_cast<std::int64_t>(amount);
  }
  throw ConfigError("Reserve: option '" + key + "' is " + std::to_string(amount) +
                    ", expected a whole number from 0 to " + std::to_string(kMaxResourceAmount));
}

}  // namespace

ReserveFilter::ReserveFilter(const PluginOptions& options)
    : reserved_{.size = {static_cast<ResourceAmount>(read_amount(options, "vcpus")),
                         static_cast<ResourceAmount>(read_amount(options, "memory_mb")), 0},
                .count = read_amount(options, "count")} {
  options.reject_unknown();
}

void ReserveFilter::filter_all(const HostView& hosts, std::span<const HostIndex> candidates,
                               const Request& request, std::span<std::uint8_t> passes) const {
  std::ranges::fill(passes, std::uint8_t{1});
  if (reserved_.count == 0 || !request.is_spot()) return;
  std::int64_t all = 0;
  for (HostIndex host = 0; host < hosts.size(); ++host) {
    all += reserved_.vms_in(hosts[host].free(Sees::kVmsAndSpots));
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const HostRow host = hosts[candidates[i]];
    const ResourceVector free = host.free(Sees::kVmsAndSpots);
    const std::int64_t now = reserved_.vms_in(free);
    const std::int64_t taken = now - reserved_.vms_in(free - request.resources());
    const bool lacks_it = taken > 0 && all - taken < reserved_.count;
    const bool may_be_freed = reserved_.vms_in(host.free(Sees::kVms)) > now;
    if (lacks_it || (may_be_freed && all < reserved_.count)) passes[i] = 0;
  }
}

}  // namespace cospot
