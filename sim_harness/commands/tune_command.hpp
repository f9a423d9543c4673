#pragma once

#include "sim_harness/provider/policies/policy_loader.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace cospot {

/// Adds `cospot tune`. `loader` outlives the app.
void add_tune_command(CLI::App& app, PolicyLoader& loader);

}  // namespace cospot
