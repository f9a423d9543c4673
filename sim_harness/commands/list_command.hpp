#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cospot {

/// What can be named in a sweep file, one row each: name, summary, source. `kind` is filters,
/// weighers, evictors, models or schemes (of names that stand in no registry); empty: all of them,
/// each under its heading.
///
/// Errors: ConfigError with the valid kinds.
[[nodiscard]] std::string list_text(const std::string& kind);

/// Adds `list` to the command line.
void add_list_command(CLI::App& app);

}  // namespace cospot
