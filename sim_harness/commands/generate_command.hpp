#pragma once

#include <CLI/App.hpp>

namespace cospot {

/// Adds `generate` to the command `workload`; parsing it then generates the workload, writes the
/// file and prints a line. Its callback throws InputError.
void add_generate_command(CLI::App& workload);

}  // namespace cospot
