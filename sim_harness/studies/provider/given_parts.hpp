#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "sim_harness/studies/provider/provider_study.hpp"

namespace cospot {

/// Parts that every run of a command has beside its workload and policies: `disruptions`,
/// `schedulers`, `host_subset_size`, `reserve`, with the keys of a study file.
class GivenParts {
 public:
  /// Args: root: a mapping of these keys, each with one value. folder: that its paths are relative
  /// to.
  ///
  /// Errors: ConfigError, also for a part that sells more than VMs and spots; WorkloadError.
  GivenParts(const ConfigNode& root, const std::filesystem::path& folder);

  /// Errors: ConfigError, PolicyError.
  [[nodiscard]] LifeResult run(const Workload& workload, const EventSchedule& schedule,
                               RunSettings settings) const;

  /// What they add to a run; `settings` may change, as by other hosts. Errors: ConfigError.
  [[nodiscard]] ProviderParts parts(const Workload& workload, RunSettings& settings) const;

  /// The keys, each on a line, as a study file has them.
  [[nodiscard]] std::string yaml() const;
  /// The same as JSON.
  [[nodiscard]] Json json() const { return study_.table().json(settings_); }

 private:
  ProviderStudy study_;
  ProviderStudySettings settings_;
};

/// Reads the option `--with`: a YAML file, or the mapping itself. Errors: as GivenParts;
/// InputError.
[[nodiscard]] std::shared_ptr<const GivenParts> parse_given_parts(const std::string& text);

/// The fewest hosts, `least` or more, on which every VM has a host from its request to its end,
/// whatever happens. Simulates one run after the other. Errors: ConfigError when no number up to
/// twice as many does.
[[nodiscard]] std::size_t fewest_hosts_with(const GivenParts& parts, const Workload& workload,
                                            const EventSchedule& vms, const HostMix& host,
                                            const ChainSpec& vm, std::size_t least);

}  // namespace cospot
