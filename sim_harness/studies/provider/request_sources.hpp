#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/sim_time.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/workloads/renewal_workload.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"
#include "sim_harness/experiments/results/experiment_record.hpp"

namespace cospot {

/// The source of requests of one class: a value of `workloads` or `spot_workloads`.
struct RequestSource {
  std::string label;
  /// A Eucalyptus trace, a workload, or the text of `spec`; empty: generated.
  std::filesystem::path file{};
  std::optional<WorkloadSpec> spec{};  ///< parsed from that text, or given by a caller
  std::optional<LognormalSpec> lognormal{};
  const StandIn* stand_in = nullptr;
  VcpusUnit unit{};           ///< of a workload's vcpus
  bool is_same_file = false;  ///< `same`: the spots of the file under `workloads`
};

[[nodiscard]] Json setting_json(const RequestSource& source);
[[nodiscard]] AxisValue axis_value(const RequestSource& source);

/// Reads `workloads` or `spot_workloads`: files, workload specs, `{synthetic: lognormal,
/// interarrival: [3.5, 1], lifetime: [6, 1.5], days: 10, vcpus: 1}`, `{synthetic: ds2}`; for spots
/// also `same`. Errors: ConfigError.
[[nodiscard]] std::vector<RequestSource> read_sources(const ConfigNode& node, std::string_view key,
                                                      const std::filesystem::path& folder);

/// The requests of a source, all of one class, in order of start.
struct Requests {
  std::vector<WorkloadRow> rows;
  SimTime end{0};  ///< of the trace
  WorkloadPlacements placements{};
  bool are_all_rows = false;  ///< the source has no rows of the class
};

/// The files of a study, read once, and requests generated from seeds.
class RequestStore {
 public:
  /// Errors: WorkloadError.
  explicit RequestStore(const std::vector<std::vector<RequestSource>>& sources);

  /// The requests of a source as VMs or as spots. From a workload it takes the rows of that class,
  /// or all rows if there are none of it.
  [[nodiscard]] Requests requests(const RequestSource& source, InstanceClass instance_class,
                                  std::uint64_t seed) const;

  /// True if the file of a source has no spots, so that its requests serve as either class.
  [[nodiscard]] bool lacks_spots(const RequestSource& source) const;

  /// True if requests of any file ask for more than capacity.
  [[nodiscard]] bool has_placements() const;

  [[nodiscard]] const std::vector<InputRecord>& records() const { return records_; }

 private:
  void add(const RequestSource& source);
  [[nodiscard]] const Workload& file(const std::filesystem::path& path) const;

  std::vector<std::pair<std::filesystem::path, Workload>> files_;
  std::vector<InputRecord> records_;
};

/// The settings for VMs and spots from separate sources (the study `sla`).
struct TraceSettings {
  std::vector<RequestSource> vm_sources{};
  std::vector<RequestSource> spot_sources{};
  bool has_memory = false;  ///< the hosts' memory is stated, so requests need memory
  std::vector<std::size_t> host_counts{};
  SimTime spot_delay{0};
  bool spots_end_with_vms = true;
};

}  // namespace cospot
