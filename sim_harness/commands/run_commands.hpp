#pragma once

namespace CLI {
class App;
}

namespace cospot {

class PolicyLoader;
class StudyRegistry;

/// Adds `run` (one scenario, its event log, the explanation of one decision) and `size` (the hosts
/// that just fit a workload's VMs) to the command line. They run inside app.parse(), print to
/// standard output and throw the types of core/errors.hpp. `loader` and `studies` live as long as
/// the app.
void add_run_commands(CLI::App& app, PolicyLoader& loader, const StudyRegistry& studies);

}  // namespace cospot
