#pragma once

namespace CLI {
class App;
}

namespace cospot {

class PolicyLoader;

/// Adds `sla`: `quote` says how long spots will live, `stand-in` writes a trace to try it on.
void add_sla_commands(CLI::App& app, PolicyLoader& loader);

}  // namespace cospot
