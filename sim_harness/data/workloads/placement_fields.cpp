#include "sim_harness/data/workloads/placement_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {
namespace {

constexpr std::array<std::string_view, 4> kPolicies{"affinity", "anti-affinity", "soft-affinity",
                                                    "soft-anti-affinity"};

std::optional<GroupPolicy> parse_policy(std::string_view text) {
  const auto found = std::ranges::find(kPolicies, text);
  if (found == kPolicies.end()) return std::nullopt;
  return static_cast<GroupPolicy>(found - kPolicies.begin());
}

/// Reads `key=expression;key=expression`; returns what is wrong, or an empty text.
std::string read_extra_specs(std::string_view text, PlaceRules& rules) {
  const std::string_view all = text;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view entry = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = entry.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return fmt::format("extra_specs is {}, expected key=value, several joined by ';'",
                         quoted_excerpt(all));
    }
    rules.extra_specs.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  std::ranges::sort(rules.extra_specs);
  return {};
}

}  // namespace

std::string PlacementFieldsReader::read(WorkloadFieldsView fields, WorkloadRow& row) {
  const std::string_view zone = field(fields, WorkloadColumn::kZone);
  const std::string_view extra_specs = field(fields, WorkloadColumn::kExtraSpecs);
  const std::string_view group = field(fields, WorkloadColumn::kGroup);
  std::uint32_t group_number = RowPlacement::kNoGroup;
  if (std::string fault = read_group(fields, group_number); !fault.empty()) return fault;
  if (zone.empty() && extra_specs.empty() && group.empty()) return {};
  const auto [found, is_new] = number_of_.try_emplace(
      Fields(zone, extra_specs, group), static_cast<std::uint32_t>(placements_.asked.size() + 1));
  if (found->second > WorkloadPlacements::kMostAsked) {
    return fmt::format("more than {} different zones, extra specs and groups",
                       WorkloadPlacements::kMostAsked);
  }
  row.placement = found->second & WorkloadPlacements::kMostAsked;
  if (!is_new) return {};
  RowPlacement asked{.rules = {.zone = std::string(zone)}, .group = group_number};
  std::string fault = read_extra_specs(extra_specs, asked.rules);
  placements_.asked.push_back(std::move(asked));
  return fault;
}

std::string PlacementFieldsReader::read_group(WorkloadFieldsView fields, std::uint32_t& number) {
  const std::string_view id = field(fields, WorkloadColumn::kGroup);
  const std::string_view policy_text = field(fields, WorkloadColumn::kGroupPolicy);
  const std::string_view most_text = field(fields, WorkloadColumn::kMaxServerPerHost);
  if (id.empty()) {
    if (policy_text.empty() && most_text.empty()) return {};
    return "group is empty, expected the id of a server group beside its policy";
  }
  const std::optional<GroupPolicy> policy = parse_policy(policy_text);
  if (!policy) {
    return fmt::format("group_policy is {}, expected {}", quoted_excerpt(policy_text),
                       fmt::join(kPolicies, ", "));
  }
  ServerGroup group{.id = std::string(id), .policy = *policy};
  const std::optional<ResourceAmount> most = parse_amount(most_text, 1);
  if (!most_text.empty() && !most) {
    return fmt::format("max_server_per_host is {}, expected a whole number from 1",
                       quoted_excerpt(most_text));
  }
  if (most) group.max_server_per_host = *most;
  if (!most_text.empty() && *policy != GroupPolicy::kAntiAffinity) {
    return fmt::format("max_server_per_host is {}, expected none: it belongs to anti-affinity",
                       quoted_excerpt(most_text));
  }
  const auto [found, is_new] =
      group_of_.try_emplace(group.id, static_cast<std::uint32_t>(placements_.groups.size()));
  number = found->second;
  if (is_new) {
    placements_.groups.push_back(std::move(group));
  } else if (placements_.groups[number] != group) {
    return fmt::format("the group {} has another policy than on a line before", quoted_excerpt(id));
  }
  return {};
}

std::string_view group_policy_name(GroupPolicy policy) {
  return kPolicies[static_cast<std::size_t>(policy)];
}

std::string placement_fields(const WorkloadRow& row, const WorkloadPlacements& placements) {
  if (row.placement == 0) return ",,,,,";
  const RowPlacement& asked = placements.asked[row.placement - 1];
  std::string specs;
  for (const auto& [key, expression] : asked.rules.extra_specs) {
    specs += fmt::format("{}{}={}", specs.empty() ? "" : ";", key, expression);
  }
  std::string text = fmt::format(",{},{}", asked.rules.zone, specs);
  if (asked.group == RowPlacement::kNoGroup) return text + ",,,";
  const ServerGroup& group = placements.groups[asked.group];
  text += fmt::format(",{},{},", group.id, group_policy_name(group.policy));
  if (group.max_server_per_host != 1) text += fmt::format("{}", group.max_server_per_host);
  return text;
}

}  // namespace cospot
