#pragma once

namespace CLI {
class App;
}

namespace cospot {

/// Adds `lifetime`: `spots` writes what there is to learn from, `train` makes a model for LPML or LPKM,
/// `eval` tells how good one is. The last two run Python and set `exit_code` to its own.
void add_lifetime_commands(CLI::App& app, int& exit_code);

}  // namespace cospot
