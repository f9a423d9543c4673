#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

// Read the policies of a sweep file. A policy is a name from the registry (`COS`) or a mapping with
// options (`{name: COS, label: COS-normalised, capacity_normalised: true}`). A chain may also be a
// weighted sum, with optional `filters`: `{label: nova, weighers: [{name: RAMWeigher, multiplier:
// 2}, CPUWeigher]}`. `loader` finds policies whose name has a scheme (`python:...`). Each policy is
// made once, so that unknown names and options are found before any run.

[[nodiscard]] std::vector<ChainSpec> read_chains(const ConfigNode& node, std::string_view key,
                                                 PolicyLoader& loader);
/// A file named by an evictor's option `model` is relative to `folder`.
[[nodiscard]] std::vector<EvictorSpec> read_evictors(const ConfigNode& node, std::string_view key,
                                                     const std::filesystem::path& folder,
                                                     PolicyLoader& loader);

/// The chain with the one weigher that a command line names. Errors: ConfigError.
[[nodiscard]] ChainSpec load_chain(const std::string& weigher, PolicyLoader& loader);

/// Makes the evictor that `spec` names in the registry, once for all runs, so that a file is read
/// only once. The option `model` is a path relative to `folder`; the file's content becomes part of
/// the sweep's identity. An evictor written in Python is made once to check that this works, and
/// again for every run.
///
/// Errors: ConfigError for an unknown evictor or option, or an unusable file.
void make_shared_evictor(EvictorSpec& spec, const std::filesystem::path& folder);

/// The one model file that `written` names, found as in `make_shared_evictor`. Errors: ConfigError.
[[nodiscard]] std::filesystem::path find_model(const std::string& written,
                                               const std::filesystem::path& folder);

}  // namespace cospot
