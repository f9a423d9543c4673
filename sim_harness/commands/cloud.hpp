#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/commands/host_totals.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/experiments/grid/study_file.hpp"
#include "sim_harness/studies/provider/study_settings.hpp"
#include "sim_harness/studies/stored_prices.hpp"

namespace cospot {

// The cloud that a command works on: requests, hosts, prices and policies. A study file describes
// it, or the command line with what all commands assume.

/// The study file of a cloud: the file of that name, or a workload on the hosts of the options. The
/// options replace the file's keys, and `--set` both.
///
/// Errors: ConfigError, also if neither states hosts.
[[nodiscard]] StudyFile cloud_file(const std::string& named, const DatacenterOptions& options,
                                   const std::vector<std::string>& overrides,
                                   std::optional<SimTime> window, PolicyLoader& policies);

/// With the usual setting for keys that are stated nowhere; hosts are the fewest that hold all VMs
/// plus 2 %. A file with all policies, or of promised lifetimes, has its study's defaults.
[[nodiscard]] StudyFile with_usual(StudyFile file);

/// The price of a vCPU-hour in the workloads of a study file; nothing without a list. Errors: as
/// require_prices_for; ConfigError that names the flavors without a price.
[[nodiscard]] std::optional<WorkloadPrices> prices_of_study(const StudyRegistry& studies,
                                                            const std::optional<PriceList>& list,
                                                            const StudyFile& file);

/// A study file that describes the one cloud of a command.
struct NamedCloud {
  StudyFile stated;                ///< as it stands
  ProviderStudySettings settings;  ///< with the usual setting for what it does not state

  [[nodiscard]] bool states(std::string_view key) const { return stated.root.find(key) != nullptr; }
  /// The number of hosts; a headroom counts from the fewest that hold all VMs.
  [[nodiscard]] std::size_t hosts() const;
  /// The file of its hosts; empty if it states them itself.
  [[nodiscard]] std::string hosts_file() const;
};

/// Errors: ConfigError, also for several workloads or sizes.
[[nodiscard]] NamedCloud read_cloud(StudyFile stated);
/// The cloud of a study file, or of a workload on the hosts of the options; nothing for a workload
/// without hosts. Errors: as cloud_file and read_cloud.
[[nodiscard]] std::optional<NamedCloud> named_cloud(const std::string& named,
                                                    std::optional<SimTime> window,
                                                    PolicyLoader& policies,
                                                    const DatacenterOptions& options = {},
                                                    const std::vector<std::string>& overrides = {});

}  // namespace cospot
