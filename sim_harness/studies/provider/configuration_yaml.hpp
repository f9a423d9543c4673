#pragma once

#include <string>
#include <string_view>

#include "sim_harness/base/json/json.hpp"

namespace cospot {

// The parts of a sweep's configuration as they are written in a
// sweep file, each on one line, so that any combination of them is a scenario file again. What has
// its default value is left out.

/// A text as a YAML value: as it is where nothing can mistake it, else in double quotes.
[[nodiscard]] std::string yaml_text(std::string_view text);

/// Any JSON as YAML on one line.
[[nodiscard]] std::string flow_yaml(const Json& json);

/// An element of `workloads`: a path, or the recipe of a synthetic workload.
[[nodiscard]] std::string workload_yaml(const Json& workload);

[[nodiscard]] std::string host_yaml(const Json& host);

/// A value of `vm` or `spot`.
[[nodiscard]] std::string chain_yaml(const Json& chain);

/// A value of `evictor`.
[[nodiscard]] std::string evictor_yaml(const Json& evictor);

}  // namespace cospot
