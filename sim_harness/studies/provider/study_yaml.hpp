#pragma once

#include <filesystem>
#include <string>

#include "sim_harness/studies/provider/provider_settings.hpp"

namespace cospot {

/// A command's settings as the keys of a study file in `folder`, to which paths are relative.
///
/// Args: host: the hosts as given on the command line, a file or totals.
[[nodiscard]] std::string study_yaml(ProviderSettings settings, const std::string& host,
                                     const std::filesystem::path& folder);

/// A line that names the hosts and the policies on which a history was simulated.
[[nodiscard]] std::string simulated_text(const RunSettings& run);

}  // namespace cospot
