#pragma once

#include "sim_harness/provider/policies/policy_loader.hpp"

namespace CLI {
class App;
}

namespace cospot {

/// Adds `classes`. `loader` outlives `app`. Errors while it runs: InputError.
void add_classes_command(CLI::App& app, PolicyLoader& loader);

}  // namespace cospot
