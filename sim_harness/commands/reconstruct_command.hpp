#pragma once

#include <CLI/App.hpp>

namespace cospot {

/// Adds `reconstruct` to the command `workload`; parsing it then recovers the sizes of a packing
/// trace, writes the workload and the sizes, and prints a summary. Its callback throws InputError.
void add_reconstruct_command(CLI::App& workload);

}  // namespace cospot
