#pragma once

#include <string>

#include "sim_harness/studies/study.hpp"

namespace CLI {
class App;
}

namespace cospot {

/// What can be named in a sweep file, one row each: name, summary, source. `kind` is filters,
/// weighers, evictors, studies, models or schemes (of names that stand in no registry); empty: all
/// of them, each under its heading.
///
/// Errors: ConfigError with the valid kinds.
[[nodiscard]] std::string list_text(const std::string& kind,
                                    const StudyRegistry& studies = built_in_studies());

/// The same as JSON, with the columns of every study; docs/json.md describes its keys.
[[nodiscard]] std::string list_json(const std::string& kind,
                                    const StudyRegistry& studies = built_in_studies());

/// Adds `list` to the command line.
void add_list_command(CLI::App& app, const StudyRegistry& studies);

}  // namespace cospot
