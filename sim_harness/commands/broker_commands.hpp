#pragma once

#include "sim_harness/provider/policies/policy_loader.hpp"

namespace CLI {
class App;
}

namespace cospot {

/// Adds `broker run` and `broker recommend`. `loader` outlives `app`. Errors while they run:
/// InputError.
void add_broker_commands(CLI::App& app, PolicyLoader& loader);

}  // namespace cospot
