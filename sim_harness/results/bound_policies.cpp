#include "sim_harness/results/bound_policies.hpp"

#include <algorithm>
#include <string_view>

#include "core/errors.hpp"
#include "sim_harness/engine/true_lifetimes.hpp"

namespace cospot {
namespace {

std::string_view text_of(const ConfigNode& mapping, std::string_view key) {
  const ConfigNode* value = mapping.find(key);
  return value == nullptr ? std::string_view() : std::string_view(value->text);
}

/// Tells whether an element of the list under `key` has a name that `is_flagged`.
template <class IsFlagged>
bool any_in_list(const ConfigNode& chain, std::string_view key, const IsFlagged& is_flagged) {
  const ConfigNode* list = chain.find(key);
  return list != nullptr && std::ranges::any_of(list->items, [&](const ConfigNode& policy) {
           return is_flagged(text_of(policy, "name"));
         });
}

bool is_bound_by_labels(const ResultRow& row) {
  return weigher_needs_true_lifetimes(row.vm) || weigher_needs_true_lifetimes(row.spot) ||
         evictor_needs_true_lifetimes(std::string_view(row.evictor));
}

bool is_bound_by_names(const ResultRow& row) {
  try {
    const ConfigNode run = parse_yaml(row.configuration, "configuration");  // JSON is YAML
    const ConfigNode* vm = run.find("vm");
    const ConfigNode* spot = run.find("spot");
    const ConfigNode* evictor = run.find("evictor");
    if (vm == nullptr || spot == nullptr || evictor == nullptr) return is_bound_by_labels(row);
    return chain_needs_true_lifetimes(*vm) || chain_needs_true_lifetimes(*spot) ||
           evictor_needs_true_lifetimes(*evictor);
  } catch (const ConfigError&) {
    return is_bound_by_labels(row);
  }
}

}  // namespace

bool chain_needs_true_lifetimes(const ConfigNode& chain) {
  return any_in_list(chain, "filters", filter_needs_true_lifetimes) ||
         any_in_list(chain, "weighers", weigher_needs_true_lifetimes);
}

bool evictor_needs_true_lifetimes(const ConfigNode& evictor) {
  return evictor_needs_true_lifetimes(text_of(evictor, "name"));
}

bool BoundPolicies::is_bound(const ResultRow& row) {
  const auto [entry, is_new] = known_.try_emplace({row.vm, row.spot, row.evictor}, false);
  if (is_new) entry->second = is_bound_by_names(row);
  return entry->second;
}

}  // namespace cospot
