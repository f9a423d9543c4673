#pragma once

#include <filesystem>
#include <string>

#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// Makes the evictor that `spec` names in the registry, once for all runs, so that a file it reads
/// is read once. The option `model` is a path relative to `folder`; its content becomes part of
/// the sweep's identity. An evictor written in Python is made once to see that it can be, and
/// again for every run.
///
/// Errors: ConfigError for an unknown evictor or option, or a file that cannot be used.
void make_shared_evictor(EvictorSpec& spec, const std::filesystem::path& folder);

/// The one model file that a text names, as `make_shared_evictor` finds it. Errors: ConfigError.
[[nodiscard]] std::filesystem::path find_model(const std::string& written,
                                               const std::filesystem::path& folder);

}  // namespace cospot
