#pragma once

#include <string>
#include <string_view>

#include "sim_harness/base/json/json.hpp"

namespace cospot {

// Texts and JSON in the syntax of a study file, each on one line.

/// A text as a comment of one line: names that users choose may contain line ends.
[[nodiscard]] std::string yaml_comment(std::string_view text);

/// A text as a YAML value: plain if that is unambiguous, otherwise in double quotes. Errors:
/// ConfigError if it is not UTF-8.
[[nodiscard]] std::string yaml_text(std::string_view text);

/// JSON as YAML on one line: a value of a stored configuration as a study file has it.
[[nodiscard]] std::string flow_yaml(const Json& json);

}  // namespace cospot
