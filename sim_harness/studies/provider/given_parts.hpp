#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "sim_harness/studies/provider/provider_study.hpp"

namespace cospot {

/// Parts that a command adds to each of its runs, with the keys of a study file: `disruptions`,
/// `schedulers`, `host_subset_size`, `reserve`, `on_eviction`.
class GivenParts {
 public:
  /// Args: root: a mapping of these keys, each with one value. folder: the base of relative paths.
  ///
  /// Errors: ConfigError, also for a part that sells anything but VMs and spots; WorkloadError.
  GivenParts(const ConfigNode& root, const std::filesystem::path& folder);

  /// Errors: ConfigError, PolicyError.
  [[nodiscard]] LifeResult run(const Workload& workload, const EventSchedule& schedule,
                               RunSettings settings) const;

  /// The parts to add to a run; may modify `settings`, for example its hosts. Errors: ConfigError.
  [[nodiscard]] ProviderParts parts(const Workload& workload, RunSettings& settings) const;

  /// The keys, one per line, in the syntax of a study file in `folder`.
  [[nodiscard]] std::string yaml(const std::filesystem::path& folder) const;
  /// The same as JSON, with the SHA-256 of each file of disruptions behind its name.
  [[nodiscard]] Json json() const;

 private:
  ProviderStudy study_;
  ProviderStudySettings settings_;
  std::filesystem::path folder_;  ///< the base of relative paths
};

/// The parts of a study file, without what it sells besides VMs and spots and what it only watches;
/// null if there are none. Errors: as GivenParts.
[[nodiscard]] std::shared_ptr<const GivenParts> given_parts_of(const StudyFile& file);

/// Parses the option `--with`: a YAML file, or the mapping itself. Errors: as GivenParts;
/// InputError.
[[nodiscard]] std::shared_ptr<const GivenParts> parse_given_parts(const std::string& text);

/// The smallest number of hosts, at least `least`, on which every VM has a host from its request to
/// its end despite all disruptions. Simulates runs one after another. Errors: ConfigError if even
/// twice as many are too few.
[[nodiscard]] std::size_t fewest_hosts_with(const GivenParts& parts, const Workload& workload,
                                            const EventSchedule& vms, const HostMix& host,
                                            const ChainSpec& vm, std::size_t least);

}  // namespace cospot
