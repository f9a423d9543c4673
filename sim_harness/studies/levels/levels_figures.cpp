#include "sim_harness/studies/levels/levels_figures.hpp"

#include "sim_harness/studies/provider/provider_money.hpp"

namespace cospot {

const StudyFigures& levels_figures() {
  static const StudyFigures made{
      .title = "Three priority levels",
      .figures = {
          {"vm_rejection", "VMs rejected"},
          {.name = "economy_eviction_ratio",
           .title = "economy evicted",
           .meaning = "of those admitted"},
          {.name = "economy_revenue_share",
           .title = "economy revenue",
           .meaning = "of what was requested"},
          {.name = "spot_eviction_ratio", .title = "spots evicted", .meaning = "of those admitted"},
          {.name = "spot_revenue_share",
           .title = "spot revenue",
           .meaning = "of what was requested"},
          {.name = "income_ratio",
           .title = "income ratio",
           .unit = FigureUnit::kNumber,
           .decimals = 3,
           .meaning = "of economy instances and spots, over that of the same datacenter with "
                      "economy_percent 0"}}};
  return made;
}

const StudyMoney& levels_money() {
  static const StudyMoney made{
      .columns = {kVmsLost,
                  kVmsRequested,
                  kVmsEarned,
                  {.name = "economy_earned",
                   .title = "economy earns",
                   .price = PriceKind::kEconomy,
                   .sql = "run.economy_revenue",
                   .meaning = "earned by economy instances, at economy_price of the on-demand "
                              "price"},
                  {.name = "economy_requested",
                   .title = "of requested",
                   .price = PriceKind::kEconomy,
                   .sql = "run.economy_revenue_requested",
                   .meaning = "requested by economy instances, at the same price"},
                  kSpotsEarned,
                  kSpotsRequested},
      .joins =
          "CROSS JOIN (SELECT json_extract(configuration, '$.economy_price') AS price "
          "FROM sweep) AS economy",
      .note = "  (economy instances: at economy_price of the on-demand price)\n"};
  return made;
}

}  // namespace cospot
