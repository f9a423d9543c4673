#pragma once

#include <CLI/App.hpp>

namespace cospot {

/// Adds `fetch` to the command `workload`; parsing it then downloads a published workload and
/// prints what was fetched. Its callback throws InputError.
void add_fetch_command(CLI::App& workload);

}  // namespace cospot
