#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "core/model/resource_vector.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/data/hosts/host_mix.hpp"
#include "sim_harness/experiments/grid/study_file.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"

namespace cospot {

// The keys shared by study files of the provider's simulation (docs/sweep-file.md). `root` is the
// whole file. Errors: ConfigError with the place, the key, what was found and what was expected.

/// `workloads`, with the window from the command, the workload or the file.
[[nodiscard]] std::vector<WorkloadSpec> read_windowed_workloads(const StudyFile& file);

/// `host`: the capacity of every host, a list of types, or a file of hosts; and `added_type`.
[[nodiscard]] HostMix read_hosts(const ConfigNode& root, const std::filesystem::path& folder);

/// `headroom_percent`, counted according to `headroom_of`, or `hosts`; neither is needed if `hosts`
/// fixes the number.
[[nodiscard]] std::vector<Headroom> read_sizes(const ConfigNode& root, const HostMix& hosts);

/// The value of `headroom_of` for a headroom of its own for each VM policy.
inline constexpr std::string_view kEachPolicy = "each_policy";

/// The VM policies that `headroom_of` names; none where it is `study` or `each_policy`.
[[nodiscard]] std::vector<ChainSpec> read_headroom_policies(const ConfigNode& root,
                                                            PolicyLoader& loader);

/// `saf`, and its value in a file without it.
[[nodiscard]] std::vector<bool> read_safs(const ConfigNode& root, bool if_missing);

/// `otn`: numbers, `{epsilon: 0.05}`, `{adaptive: {...}}`, or the labels of these; default 1.
[[nodiscard]] std::vector<OfferRule> read_offers(const ConfigNode& root);

/// One of them: a number, `{epsilon: 0.05}`, `{adaptive: {...}}`, or the label of either.
[[nodiscard]] OfferRule read_offer(const ConfigNode& node);

}  // namespace cospot
