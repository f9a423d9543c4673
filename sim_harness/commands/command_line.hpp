#pragma once

#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {

/// Runs the program `cospot` with these arguments (the first is the program's name) and returns its
/// exit code: 0 done, 1 internal error, 2 bad input or usage, 130 interrupted (completed runs are
/// kept). `loader` finds the policies written in Python.
///
/// Prints to standard output and standard error. SIGINT and SIGTERM end any command within a second
/// (InterruptSignals): no incomplete file remains, and a comparison keeps its completed runs. Not
/// thread-safe.
int run_command_line(int argc, const char* const* argv, PolicyLoader& loader,
                     const StudyRegistry& studies = built_in_studies());

/// The version of cospot, such as "0.1.0".
[[nodiscard]] const char* version();

}  // namespace cospot
