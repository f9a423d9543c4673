#pragma once

#include <cstdint>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

struct Forecasts;
struct Placement;

/// A VM is a regular (on-demand or reserved) instance; a spot may be evicted. An economy instance
/// stands between them: only the study `levels` knows it.
enum class InstanceClass : std::uint8_t { kVm, kSpot, kEconomy };

/// Names an instance: its row in the workload or in the caller's instance table.
using InstanceIndex = std::uint32_t;

/// Until when something lives that was promised nothing.
inline constexpr SimTime kNoPromisedEnd = SimTime::min();

/// The demands of one instance, as a scheduler sees them. They do not include its end: no policy
/// but an oracle may know it.
struct Request {
  ResourceAmount vcpus = 0;
  ResourceAmount memory_mb = 0;
  ResourceAmount disk_gb = 0;
  InstanceClass instance_class = InstanceClass::kVm;
  InstanceIndex instance = 0;
  SimTime time{0};  ///< when the request is made
  /// The lifetime that a spot asks for, as its customer states it; 0: none.
  SimTime asked_lifetime{0};
  /// If it gets a host it is promised to live until then; kNoPromisedEnd: nothing is promised.
  SimTime promised_until = kNoPromisedEnd;
  /// The forecasts at the time of the request (core/policy/forecasts.hpp); null: none.
  const Forecasts* forecasts = nullptr;
  /// Its demands apart from capacity (core/model/placement_rules.hpp); null: nothing.
  const Placement* placement = nullptr;

  [[nodiscard]] constexpr ResourceVector resources() const { return {vcpus, memory_mb, disk_gb}; }
  [[nodiscard]] constexpr bool is_spot() const { return instance_class == InstanceClass::kSpot; }
};

}  // namespace cospot
