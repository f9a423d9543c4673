#include "sim_harness/provider/run/placement_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/errors.hpp"
#include "core/policy/plugin.hpp"
#include "filters/aggregate_multi_tenancy_isolation_filter.hpp"
#include "filters/extra_spec_match.hpp"

namespace cospot {
namespace {

/// The amount that the members of a group hold together, as they come and go.
struct GroupPeak {
  std::size_t members = 0;
  ResourceVector amount{};  ///< the most of each resource
};

class PlacementChecks {
 public:
  PlacementChecks(const Workload& workload, const EventSchedule& schedule, const HostMix& hosts)
      : workload_(workload), schedule_(schedule), hosts_(hosts) {}

  void check_places() const {
    std::vector<std::uint8_t> is_checked(schedule_.placements.size(), 0);
    for (std::size_t row = 0; row < workload_.rows.size(); ++row) {
      const std::uint32_t asked = schedule_.placement_of[row];
      if (asked == 0 || is_checked[asked - 1] != 0) continue;
      is_checked[asked - 1] = 1;
      check_rules(workload_.rows[row], schedule_.placements[asked - 1].rules);
    }
  }

  void check_groups(std::optional<std::size_t> count) const {
    for (std::uint32_t group = 0; group < schedule_.groups.size(); ++group) {
      check_group(schedule_.groups[group], peak_of(group), count);
    }
  }

 private:
  void check_rules(const WorkloadRow& row, const PlaceRules& rules) const {
    std::set<std::string> zones;
    bool some_pass = false;
    for (const HostPlace& place : hosts_.places()) {
      if (!place.zone.empty()) zones.insert(place.zone);
      some_pass = some_pass || passes(place, rules);
    }
    if (!rules.zone.empty() && !zones.contains(rules.zone)) {
      throw ConfigError(fmt::format(
          "workload '{}': request '{}' asks for the zone '{}'; {}", workload_.name, row.id,
          rules.zone,
          zones.empty() ? std::string("the hosts have no zones, expected a list under 'host' or a "
                                      "file of hosts")
                        : fmt::format("zones of the hosts: {}", fmt::join(zones, ", "))));
    }
    if (some_pass) return;
    std::vector<std::string> wishes;
    if (!rules.zone.empty()) wishes.push_back(fmt::format("the zone '{}'", rules.zone));
    for (const auto& [key, expression] : rules.extra_specs) {
      wishes.push_back(fmt::format("metadata '{}={}'", key, expression));
    }
    if (wishes.empty()) wishes.emplace_back("a host that is not kept for other tenants");
    throw ConfigError(fmt::format(
        "workload '{}': no host may take request '{}' of the tenant '{}', which asks for {}; "
        "expected a host that has all of it and is not kept for other tenants",
        workload_.name, row.id, row.tenant, fmt::join(wishes, " and ")));
  }

  [[nodiscard]] static bool passes(const HostPlace& place, const PlaceRules& rules) {
    if (!rules.zone.empty() && rules.zone != place.zone) return false;
    const auto tenants = place.metadata.find(AggregateMultiTenancyIsolationFilter::kKey);
    if (tenants != place.metadata.end() && !tenants->second.contains(rules.tenant)) return false;
    return matches_extra_specs(place.metadata, rules.extra_specs);
  }

  void check_group(const ServerGroup& group, const GroupPeak& peak,
                   std::optional<std::size_t> count) const {
    if (group.policy == GroupPolicy::kAffinity && !hosts_.fits_an_empty_host(peak.amount)) {
      throw ConfigError(fmt::format(
          "workload '{}': the group '{}' with affinity asks for up to {} vcpus, {} memory_mb and "
          "{} disk_gb at a time, more than any host has",
          workload_.name, group.id, peak.amount.vcpus, peak.amount.memory_mb, peak.amount.disk_gb));
    }
    const auto most = static_cast<std::size_t>(group.max_server_per_host);
    if (group.policy == GroupPolicy::kAntiAffinity && count && peak.members > *count * most) {
      throw ConfigError(fmt::format(
          "workload '{}': the group '{}' with anti-affinity has up to {} members at a time, more "
          "than {} hosts take ({} each)",
          workload_.name, group.id, peak.members, *count, most));
    }
  }

  [[nodiscard]] GroupPeak peak_of(std::uint32_t group) const {
    std::vector<std::tuple<SimTime, int, ResourceVector>> changes;
    for (std::size_t row = 0; row < workload_.rows.size(); ++row) {
      const std::uint32_t asked = schedule_.placement_of[row];
      if (asked == 0 || schedule_.placements[asked - 1].group != group) continue;
      const WorkloadRow& of = workload_.rows[row];
      if (!starts_in_time(of, workload_.window) || of.end == of.start) continue;
      changes.emplace_back(of.start, 1, of.resources);
      changes.emplace_back(of.end, -1, of.resources);
    }
    // At equal times departures come first.
    std::ranges::stable_sort(changes, [](const auto& a, const auto& b) {
      return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
    });
    GroupPeak peak;
    std::size_t members = 0;
    ResourceVector now;
    for (const auto& [time, sign, size] : changes) {
      sign > 0 ? now += size : now -= size;
      members = sign > 0 ? members + 1 : members - 1;
      peak.members = std::max(peak.members, members);
      peak.amount = {std::max(peak.amount.vcpus, now.vcpus),
                     std::max(peak.amount.memory_mb, now.memory_mb),
                     std::max(peak.amount.disk_gb, now.disk_gb)};
    }
    return peak;
  }

  const Workload& workload_;
  const EventSchedule& schedule_;
  const HostMix& hosts_;
};

}  // namespace

void require_possible_placements(const Workload& workload, const EventSchedule& schedule,
                                 const HostMix& hosts, std::optional<std::size_t> count) {
  if (!schedule.has_placements()) return;
  const PlacementChecks checks(workload, schedule, hosts);
  checks.check_places();
  checks.check_groups(count);
}

void require_placements_seen(const EventSchedule& schedule, const Chain& chain) {
  if (!schedule.has_placements()) return;
  const bool sees = std::ranges::any_of(
      chain.filters(), [](const auto& filter) { return filter->scope() != FilterScope::kAny; });
  if (sees) return;
  throw ConfigError(
      "the workload asks for zones, extra specs or server groups, or hosts are kept for tenants, "
      "and no filter of the chain looks at that; expected Nova's filters of them, with which "
      "make_chain makes chains on demand");
}

}  // namespace cospot
