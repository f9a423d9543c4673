#include "sim_harness/studies/provider/provider_inputs.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "core/digest.hpp"
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

InputRecord input_record(const WorkloadSpec& spec, const Workload& workload) {
  InputRecord record{.label = spec.label,
                     .sha256 = workload.sha256,
                     .name = workload.name,
                     .vcpus_unit = vcpus_unit_text(vcpus_unit_of(spec))};
  if (workload.window != kDefaultWindow) {
    record.window_days = std::stod(window_days_text(workload.window));
  }
  return record;
}

void add_named_files(const HostMix& host, std::span<const EvictorSpec> evictors,
                     std::vector<InputRecord>& records) {
  const auto add = [&records](const InputRecord& record) {
    if (std::ranges::find(records, record) == records.end()) records.push_back(record);
  };
  if (!host.named().empty()) {
    add({.label = "hosts",
         .sha256 = sha256_hex(compact_json(names_json(host))),
         .name = "hosts",
         .key = "host"});
  }
  for (const EvictorSpec& evictor : evictors) {
    if (evictor.model_sha256.empty()) continue;
    const std::string model = std::get<std::string>(evictor.options.at("model"));
    add({.label = model, .sha256 = evictor.model_sha256, .name = model, .key = "evictor"});
  }
}

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
    inputs.records.push_back(input_record(spec, workload));
    inputs.windows.push_back(workload.window);
    for (std::string& warning :
         input_warnings(workload, host.largest_total(), vcpus_unit_of(spec))) {
      inputs.warnings.push_back(std::move(warning));
    }
  }
  return inputs;
}

std::size_t host_count(const ProviderSettings& settings, const Workload& workload) {
  const Headroom& size = settings.sizes.front();
  if (!size.percent.has_value()) return size.hosts;
  const EventSchedule vms =
      make_schedule(workload, ScheduledClasses::kVmsOnly, settings.host.isolated_tenants());
  return with_headroom(fewest_hosts(workload, vms, settings.host, settings.headroom_policies()),
                       *size.percent);
}

std::vector<WorkloadSpec> as_recorded(std::vector<WorkloadSpec> specs,
                                      const std::vector<SimTime>& windows) {
  for (std::size_t i = 0; i < windows.size(); ++i) {
    specs.at(i).window = recorded_window(specs[i].window, windows[i]);
  }
  return specs;
}

}  // namespace cospot
