#include "sim_harness/studies/schedulers/schedulers_figures.hpp"

#include "sim_harness/studies/provider/provider_money.hpp"

namespace cospot {

const StudyFigures& schedulers_figures() {
  static const StudyFigures made{
      .title = "Several schedulers on stale views",
      .figures = {
          {.name = "vm_conflict_rate", .title = "VM conflicts", .meaning = "of the commits"},
          {.name = "spot_conflict_rate", .title = "spot conflicts", .meaning = "of the commits"},
          {.name = "vms_lost_to_schedulers",
           .title = "VMs lost",
           .unit = FigureUnit::kNumber,
           .decimals = 1,
           .meaning = "to conflicts and stale views",
           .sql = "vm_lost_to_conflicts + vm_rejected_on_stale_view"},
          {.name = "vm_loss_to_schedulers",
           .title = "VM revenue lost",
           .decimals = 4,
           .meaning = "to conflicts, stale views and delay, of what was requested"},
          {.name = "vm_loss",
           .title = "for any reason",
           .decimals = 4,
           .meaning = "to lack of capacity, too"},
          {.name = "spot_loss_to_schedulers",
           .title = "spot revenue lost",
           .decimals = 4,
           .meaning = "to conflicts, stale views and delay, of what was requested"},
          {.name = "spot_revenue_share",
           .title = "spot revenue earned",
           .decimals = 3,
           .meaning = "of what was requested"},
          {.name = "placement_delay_mean_s",
           .title = "mean delay",
           .unit = FigureUnit::kSeconds,
           .decimals = 3,
           .sql = "placement_delay_mean_ms / 1000"}}};
  return made;
}

const StudyMoney& schedulers_money() {
  static const StudyMoney made{
      .columns = {{.name = "vm_lost_to_schedulers",
                   .title = "VM revenue lost",
                   .sql = "run.vm_revenue_lost_to_stale_views + run.vm_revenue_lost_to_conflicts + "
                          "run.vm_revenue_lost_to_delay",
                   .meaning = "lost of VMs to conflicts, stale views and delay"},
                  {.name = kVmsLost.name,
                   .title = "for any reason",
                   .sql = kVmsLost.sql,
                   .meaning = kVmsLost.meaning},
                  kVmsRequested,
                  kVmsEarned,
                  {.name = "spot_lost_to_schedulers",
                   .title = "spot revenue lost",
                   .price = PriceKind::kSpot,
                   .sql = "run.spot_revenue_lost_to_stale_views + "
                          "run.spot_revenue_lost_to_conflicts + run.spot_revenue_lost_to_delay",
                   .meaning = "lost of spots to conflicts, stale views and delay"},
                  kSpotsEarned,
                  kSpotsRequested}};
  return made;
}

}  // namespace cospot
