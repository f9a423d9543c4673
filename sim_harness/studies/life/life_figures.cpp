#include "sim_harness/studies/life/life_figures.hpp"

#include "sim_harness/studies/provider/provider_money.hpp"

namespace cospot {
const StudyFigures& life_figures() {
  static const StudyFigures made{
      .title = "Disruptions",
      .figures = {
          {.name = "vm_loss",
           .title = "VM loss",
           .decimals = 3,
           .meaning = "of what was requested"},
          {.name = "vm_loss_by_disruptions",
           .title = "points by disruptions",
           .decimals = 3,
           .meaning = "VM loss minus that of the same runs without disruptions"},
          {.name = "spot_share",
           .title = "spot revenue",
           .decimals = 3,
           .meaning = "of what was requested"},
          {.name = "spot_revenue_by_disruptions",
           .title = "change by disruptions",
           .decimals = 3,
           .meaning = "spot revenue relative to that of the same runs without disruptions"},
          {.name = "gain",
           .title = "gain",
           .decimals = 3,
           .meaning = "over OTN 1 and SAF off with the same disruptions"},
          {.name = "evictions", .title = "evictions", .unit = FigureUnit::kNumber, .decimals = 1},
          {.name = "vm_rejected",
           .title = "VMs rejected",
           .unit = FigureUnit::kNumber,
           .decimals = 1},
          {.name = "vms_lost", .title = "VMs lost", .unit = FigureUnit::kNumber, .decimals = 1},
          {.name = "vms_evacuated",
           .title = "evacuated",
           .unit = FigureUnit::kNumber,
           .decimals = 1},
          {.name = "spots_returned",
           .title = "spots returned",
           .unit = FigureUnit::kNumber,
           .decimals = 1}}};
  return made;
}

const StudyMoney& life_money() {
  static const StudyMoney made{
      .columns = {kVmsLost,
                  kVmsRequested,
                  kVmsEarned,
                  {.name = "vm_lost_by_disruptions",
                   .title = "lost by disruptions",
                   .sql = "figures.vm_loss_by_disruptions * run.vm_revenue_requested",
                   .meaning = "the points that VMs lose by disruptions, of what they requested"},
                  kSpotsEarned,
                  kSpotsRequested,
                  {.name = "spot_more_by_disruptions",
                   .title = "more by disruptions",
                   .price = PriceKind::kSpot,
                   .sql = "run.spot_revenue - without.spot_revenue",
                   .meaning = "earned by spots beyond the same run with disruptions `none`"},
                  kMoreThanBaseline},
      .joins =
          "LEFT JOIN baseline USING (run_index) "
          "LEFT JOIN without_disruptions AS without USING (run_index)",
      .note = "  (by disruptions: compared with the same runs without any)\n"};
  return made;
}

}  // namespace cospot
