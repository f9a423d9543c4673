#include "sim_harness/studies/provider/run_measures.hpp"

namespace cospot {

using R = RunResult;

std::vector<Measure<R>> run_revenue() {
  std::vector<Measure<R>> all;
  add_revenue(all, "vm", "VMs", &R::vm_revenue_requested, &R::vm_revenue);
  add_revenue(all, "spot", "spots", &R::spot_revenue_requested, &R::spot_revenue);
  return all;
}

std::vector<Measure<R>> run_measures(const char* vm_rejected, const char* spot_admitted,
                                     Column evictions) {
  std::vector<Measure<R>> all{
      measure<&R::hosts>({.name = "hosts", .unit = "hosts", .meaning = "in the datacenter"}),
      measure<&R::vm_requests>({.name = "vm_requests", .unit = "VMs", .meaning = "requested"}),
      measure<&R::vm_rejected>({.name = "vm_rejected", .unit = "VMs", .meaning = vm_rejected}),
      measure<&R::spot_requests>(
          {.name = "spot_requests", .unit = "spots", .meaning = "requested"}),
      measure<&R::spot_admitted>(
          {.name = "spot_admitted", .unit = "spots", .meaning = spot_admitted}),
      measure<&R::evictions>(std::move(evictions))};
  append(all, run_revenue());
  return all;
}

}  // namespace cospot
