#pragma once

#include <CLI/App.hpp>

namespace cospot {

/// Adds `import` to the command `workload`; parsing it then writes a workload from files in another
/// format, and prints what came of it. Its callback throws InputError.
void add_import_command(CLI::App& workload);

}  // namespace cospot
