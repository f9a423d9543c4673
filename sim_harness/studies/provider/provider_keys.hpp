#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "core/model/resource_vector.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/data/hosts/host_mix.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"

namespace cospot {

// The keys that the study files of the provider's simulation have in common (docs/sweep-file.md).
// `root` is the whole file. Errors: ConfigError that says where, which key, what was found, what
// was expected.

/// `workloads`, with the window that the command, the workload or the file states.
[[nodiscard]] std::vector<WorkloadSpec> read_windowed_workloads(
    const ConfigNode& root, const std::filesystem::path& folder,
    const std::optional<SimTime>& window);

/// `host`: what every host has, a list of types, or a file of hosts; and `added_type`.
[[nodiscard]] HostMix read_hosts(const ConfigNode& root, const std::filesystem::path& folder);

/// `headroom_percent`, counted as `headroom_of` says, or `hosts`; where `hosts` says how many there
/// are, neither is needed.
[[nodiscard]] std::vector<Headroom> read_sizes(const ConfigNode& root, const HostMix& hosts);

/// The VM policies that `headroom_of` names; none where it is `study` or `each_policy`.
[[nodiscard]] std::vector<ChainSpec> read_headroom_policies(const ConfigNode& root,
                                                            PolicyLoader& loader);

/// `otn`: numbers, `{epsilon: 0.05}`, `{adaptive: {...}}`, or the labels of these.
[[nodiscard]] std::vector<OfferRule> read_offers(const ConfigNode& root);

}  // namespace cospot
