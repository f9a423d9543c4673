#pragma once

#include <filesystem>
#include <string>

#include "sim_harness/data/hosts/host_mix.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

// A command's inputs as lines of a study file in `folder`: paths are relative to the folder.

[[nodiscard]] std::string workload_line(const WorkloadSpec& spec,
                                        const std::filesystem::path& folder);
[[nodiscard]] std::string evictor_line(EvictorSpec evictor, const std::filesystem::path& folder);
[[nodiscard]] std::string chain_line(const ChainSpec& chain);
/// Args: text: the value of --host; hosts: its meaning.
[[nodiscard]] std::string host_line(const std::string& text, const HostMix& hosts,
                                    const std::filesystem::path& folder);

}  // namespace cospot
