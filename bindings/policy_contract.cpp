#include "bindings/policy_contract.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cospot::bindings {
namespace {

constexpr std::array<std::pair<std::string_view, Tier>, 4> kTiers{
    {{"none", Tier::kNone},
     {"holds_vm", Tier::kHoldsVm},
     {"holds_instance", Tier::kHoldsInstance},
     {"holds_no_vm", Tier::kHoldsNoVm}}};
constexpr std::array<std::pair<std::string_view, FilterMode>, 2> kModes{
    {{"drop", FilterMode::kDrop}, {"prefer", FilterMode::kPrefer}}};

template <class Value, std::size_t kCount>
Value read_choice(std::string_view policy, std::string_view method, std::string_view said,
                  const std::array<std::pair<std::string_view, Value>, kCount>& choices) {
  std::string valid;
  for (const auto& [name, value] : choices) {
    if (said == name) return value;
    valid += (valid.empty() ? "" : ", ") + std::string(name);
  }
  throw_fault(policy, "{} returned '{}', expected one of: {}", method, said, valid);
}

}  // namespace

Tier read_tier(std::string_view policy, std::string_view said) {
  return read_choice(policy, "tier", said, kTiers);
}

FilterMode read_mode(std::string_view policy, std::string_view said) {
  return read_choice(policy, "mode", said, kModes);
}

double require_finite(std::string_view policy, std::string_view method, double said) {
  if (std::isfinite(said)) return said;
  throw_fault(policy, "{} returned {}, expected a finite number", method, said);
}

void check_weights(std::string_view policy, std::span<const HostIndex> candidates,
                   std::span<const double> weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (std::isfinite(weights[i])) continue;
    throw_fault(policy, "weigh_all returned {} for host {}, expected finite weights", weights[i],
                candidates[i]);
  }
}

void check_array(std::string_view policy, std::string_view method, const ReturnedArray& array,
                 std::size_t candidates, std::string_view kinds, std::string_view expected) {
  if (array.dimensions != 1 || array.size != candidates) {
    throw_fault(policy, "{} returned an array of shape {} for {} candidates, expected one {} each",
                method, array.shape, candidates, expected);
  }
  if (candidates > 0 && kinds.find(array.kind) == std::string_view::npos) {
    throw_fault(policy, "{} returned values of type {}, expected {}", method, array.type, expected);
  }
}

std::uint32_t read_victim(std::string_view policy, std::int64_t position, std::size_t spots) {
  if (position < 0 || position >= static_cast<std::int64_t>(spots)) {
    throw_fault(policy, "make_plan named victim {} of {} spots", position, spots);
  }
  return static_cast<std::uint32_t>(position);
}

void check_plan(std::string_view policy, const EvictionCase& eviction,
                bool victims_have_positive_cost, EvictionPlan& plan) {
  if (!std::isfinite(plan.score)) {
    throw_fault(policy, "make_plan returned the score {}", plan.score);
  }
  std::sort(plan.victims.begin(), plan.victims.end());
  const auto twice = std::adjacent_find(plan.victims.begin(), plan.victims.end());
  if (twice != plan.victims.end()) throw_fault(policy, "make_plan named victim {} twice", *twice);
  ResourceVector missing = eviction.shortfall;
  for (const std::uint32_t victim : plan.victims) missing -= eviction.spots[victim].resources;
  if (!missing.fits_in(ResourceVector{})) {
    throw_fault(policy,
                "make_plan's {} victims do not free enough: {} vcpus, {} memory_mb and {} disk_gb "
                "are still missing",
                plan.victims.size(), std::max(missing.vcpus, 0), std::max(missing.memory_mb, 0),
                std::max(missing.disk_gb, 0));
  }
  if (victims_have_positive_cost && plan.score <= 0) {
    throw_fault(policy, "make_plan returned the score {}, but the policy charges every victim",
                plan.score);
  }
}

}  // namespace cospot::bindings
