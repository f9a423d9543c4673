#pragma once

namespace CLI {
class App;
}

namespace cospot {

/// Adds `economy`: `plan` says how much unused capacity can be promised from now on, `backtest`
/// what promises made in the past would have come to, `tasks` writes what another program is to
/// forecast.
void add_economy_commands(CLI::App& app);

}  // namespace cospot
