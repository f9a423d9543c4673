#include "sim_harness/studies/provider/provider_inputs.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/plausible_sizes.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/provider/run/placement_checks.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"

namespace cospot {

namespace {

/// Checks requirements other than capacity on the fewest hosts.
void require_possible(SharedWorkload& shared, const HostMix& host,
                      const std::vector<Headroom>& sizes) {
  // Most workloads have no such requirements and need no schedule now.
  if (shared.workload().placements.empty() && host.isolated_tenants().empty()) return;
  std::optional<std::size_t> fewest;
  for (const Headroom& size : sizes) {
    if (!size.percent) fewest = std::min(fewest.value_or(size.hosts), size.hosts);
  }
  require_possible_placements(shared.workload(), shared.schedule(), host, fewest);
}

}  // namespace

ProviderInputs load_provider_inputs(const std::vector<WorkloadSpec>& specs, const HostMix& host,
                                    const std::vector<Headroom>& sizes,
                                    const SizedPolicies& policies) {
  return load_provider_inputs(specs, host, sizes, policies, WorkloadClasses::kVmsAndSpots);
}

ProviderInputs load_provider_inputs(const std::vector<WorkloadSpec>& specs, const HostMix& host,
                                    const std::vector<Headroom>& sizes,
                                    const SizedPolicies& policies, WorkloadClasses classes) {
  const bool has_headroom =
      std::ranges::any_of(sizes, [](const Headroom& size) { return size.percent.has_value(); });
  ProviderInputs inputs;
  for (const WorkloadSpec& spec : specs) {
    inputs.workloads.push_back(
        std::make_unique<SharedWorkload>(load_workload(spec, classes), host, policies));
    const Workload& workload = inputs.workloads.back()->workload();
    // Now, not in the first group that needs the size: by then there is a database.
    if (has_headroom) require_every_vm_fits(workload, host);
    require_possible(*inputs.workloads.back(), host, sizes);
    inputs.records.push_back(
        {.label = spec.label, .sha256 = workload.sha256, .name = workload.name});
    inputs.windows.push_back(workload.window);
    for (std::string& warning :
         input_warnings(workload, host.largest_total(), vcpus_unit_of(spec))) {
      inputs.warnings.push_back(std::move(warning));
    }
  }
  return inputs;
}

std::vector<WorkloadSpec> as_recorded(std::vector<WorkloadSpec> specs,
                                      const std::vector<SimTime>& windows) {
  for (std::size_t i = 0; i < windows.size(); ++i) {
    specs.at(i).window = recorded_window(specs[i].window, windows[i]);
    specs[i].recorded_unit = vcpus_unit_of(specs[i]);
  }
  return specs;
}

}  // namespace cospot
