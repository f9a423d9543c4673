#pragma once

#include "sim_harness/experiments/grid/study_file.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"

namespace cospot {

/// Reads a sweep file (docs/sweep-file.md) of policies alone. Errors: ConfigError with the place
/// (`file:line:` or `--set key=value:`), the key, what was found, what was expected and the valid
/// names.
[[nodiscard]] ProviderSettings read_sweep(const StudyFile& file);

/// Reads a scenario: a sweep with exactly one value for every key, hence one run.
[[nodiscard]] ProviderSettings read_scenario(const StudyFile& file);

}  // namespace cospot
