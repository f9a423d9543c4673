#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/model/host_table.hpp"
#include "core/policy/plugin.hpp"
#include "core/policy/weigher.hpp"

namespace cospot {

/// The three forms in which CoSpot uses each of its ranking formulas.
enum class PolicyVariant : std::uint8_t {
  kVm,          ///< UTIL COS DPD: place VMs, ignoring spots (section 2)
  kSpot,        ///< sUTIL sCOS sDPD: place spots; residuals and idleness include spots (4.5)
  kVmAvoiding,  ///< vmaUTIL vmaCOS vmaDPD: as s*, but hosts without a VM come first (4.5)
};

/// The instances that the formula sees.
[[nodiscard]] constexpr Sees sees_of(PolicyVariant variant) {
  return variant == PolicyVariant::kVm ? Sees::kVms : Sees::kVmsAndSpots;
}

/// The any-fit tier of COS and DPD: non-idle hosts first, or for vma* hosts without a VM first.
[[nodiscard]] constexpr Tier any_fit_tier_of(PolicyVariant variant) {
  switch (variant) {
    case PolicyVariant::kVm:
      return Tier::kHoldsVm;
    case PolicyVariant::kSpot:
      return Tier::kHoldsInstance;
    case PolicyVariant::kVmAvoiding:
      return Tier::kHoldsNoVm;
  }
  return Tier::kNone;
}

/// Picks the description of a variant; the infos are in the order of the enumeration. `tune` tries
/// all of them where they belong.
[[nodiscard]] constexpr PluginInfo info_of(PolicyVariant variant,
                                           const std::array<PluginInfo, 3>& infos) {
  PluginInfo info = infos[static_cast<std::size_t>(variant)];
  info.tune_choice = variant == PolicyVariant::kVm ? TuneChoice::kVm : TuneChoice::kSpot;
  return info;
}

}  // namespace cospot
