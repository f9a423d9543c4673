#include "sim_harness/studies/provider/upper_bounds.hpp"

#include <algorithm>
#include <string_view>

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

}  // namespace

bool chain_needs_true_lifetimes(const ConfigNode& chain) {
  return any_in_list(chain, "filters", filter_needs_true_lifetimes) ||
         any_in_list(chain, "weighers", weigher_needs_true_lifetimes);
}

bool evictor_needs_true_lifetimes(const ConfigNode& evictor) {
  return evictor_needs_true_lifetimes(text_of(evictor, "name"));
}

}  // namespace cospot
