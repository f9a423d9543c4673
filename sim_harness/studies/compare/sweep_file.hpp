#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"

namespace cospot {

/// Reads a sweep file (docs/sweep-file.md) and applies `--set` overrides (`key=value`). Paths are
/// relative to the file. `loader` finds policies written in Python; without a loader they are an
/// error. Overriding `hosts` drops `headroom_percent`, and vice versa. `window` comes from the
/// command line and takes precedence over the file.
///
/// Errors: ConfigError with the place (`file:line:` or `--set key=value:`), the key, what was
/// found, what was expected and the valid names.
[[nodiscard]] ProviderSettings read_sweep(const std::filesystem::path& file,
                                          const std::vector<std::string>& overrides,
                                          PolicyLoader& loader,
                                          const std::optional<SimTime>& window = {});
[[nodiscard]] ProviderSettings read_sweep(const std::filesystem::path& file,
                                          const std::vector<std::string>& overrides);

/// The same for a tree that does not come from a file; paths are relative to `folder`.
[[nodiscard]] ProviderSettings read_sweep(ConfigNode root, const std::filesystem::path& folder,
                                          const std::vector<std::string>& overrides,
                                          PolicyLoader& loader,
                                          const std::optional<SimTime>& window = {});

/// Reads a scenario: a sweep with exactly one value for every key, hence one run.
[[nodiscard]] ProviderSettings read_scenario(const std::filesystem::path& file,
                                             const std::vector<std::string>& overrides,
                                             PolicyLoader& loader,
                                             const std::optional<SimTime>& window = {});

/// The same for a tree that does not come from a file; paths are relative to `folder`.
[[nodiscard]] ProviderSettings read_scenario(const ConfigNode& root,
                                             const std::filesystem::path& folder,
                                             PolicyLoader& loader,
                                             const std::optional<SimTime>& window = {});

}  // namespace cospot
