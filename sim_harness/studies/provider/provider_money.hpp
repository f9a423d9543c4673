#pragma once

#include "sim_harness/experiments/money/study_money.hpp"

namespace cospot {

// The money columns shared by all studies of a provider with VMs and spots, computed from their
// common measures.

inline constexpr MoneyColumn kVmsRequested{.name = "vm_requested",
                                           .title = "of requested",
                                           .sql = "run.vm_revenue_requested",
                                           .meaning = "requested by VMs",
                                           .part = &Income::vms_requested};
inline constexpr MoneyColumn kVmsEarned{
    .name = "vm_earned", .title = {}, .sql = "run.vm_revenue", .meaning = "earned by VMs"};
inline constexpr MoneyColumn kVmsLost{.name = "vm_lost",
                                      .title = "VMs lose",
                                      .sql = "run.vm_revenue_lost",
                                      .meaning = "requested by VMs and not earned",
                                      .part = &Income::vms_lost};
inline constexpr MoneyColumn kSpotsRequested{.name = "spot_requested",
                                             .title = "of requested",
                                             .price = PriceKind::kSpot,
                                             .sql = "run.spot_revenue_requested",
                                             .meaning = "requested by spots",
                                             .part = &Income::spots_requested};
inline constexpr MoneyColumn kSpotsEarned{.name = "spot_earned",
                                          .title = "spots earn",
                                          .price = PriceKind::kSpot,
                                          .sql = "run.spot_revenue",
                                          .meaning = "earned by spots",
                                          .part = &Income::spots_earned};
/// Requires kJoinBaseline.
inline constexpr MoneyColumn kMoreThanBaseline{
    .name = "more_than_without_cooperation",
    .title = "more than its baseline",
    .price = PriceKind::kSpot,
    .sql = "run.spot_revenue - baseline.spot_revenue",
    .meaning = "earned by spots beyond the same policies with OTN 1 and SAF off"};

}  // namespace cospot
