#pragma once

#include <CLI/App.hpp>

namespace cospot {

/// Adds `workload` with `info`, `sample` and `convert` to the command line; parsing it then does
/// the work and prints to standard output. Returns the `workload` command, so that others can add
/// to it. Their callbacks throw InputError.
CLI::App* add_workload_commands(CLI::App& app);

}  // namespace cospot
