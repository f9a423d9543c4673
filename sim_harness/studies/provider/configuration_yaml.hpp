#pragma once

#include <string>
#include <string_view>

#include "sim_harness/base/json/json.hpp"

namespace cospot {

// The parts of a sweep's configuration in the syntax of a sweep file, one line each, so that any
// combination of them is a scenario file again. Default values are left out.

/// A text as a comment of one line: names that users choose may contain line ends.
[[nodiscard]] std::string yaml_comment(std::string_view text);

/// A text as a YAML value: plain if that is unambiguous, otherwise in double quotes. Errors:
/// ConfigError if it is not UTF-8.
[[nodiscard]] std::string yaml_text(std::string_view text);

/// JSON as YAML on one line.
[[nodiscard]] std::string flow_yaml(const Json& json);

/// An element of `workloads`: a path, or the spec of a synthetic workload. The label of a file is
/// its path unless there is a `path`.
[[nodiscard]] std::string workload_yaml(const Json& workload);

[[nodiscard]] std::string host_yaml(const Json& host);

/// A value of `vm` or `spot`.
[[nodiscard]] std::string chain_yaml(const Json& chain);

/// A value of `evictor`.
[[nodiscard]] std::string evictor_yaml(const Json& evictor);

}  // namespace cospot
