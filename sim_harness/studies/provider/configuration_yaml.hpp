#pragma once

#include <string>
#include <string_view>

#include "sim_harness/configuration/yaml_reader.hpp"

namespace cospot {

// The parts of a sweep's configuration (sweep_json, read by parse_yaml) as they are written in a
// sweep file, each on one line, so that any combination of them is a scenario file again. What has
// its default value is left out.

/// A text as a YAML value: as it is where nothing can mistake it, else in double quotes.
[[nodiscard]] std::string yaml_text(std::string_view text);

/// An element of `workloads`: a path, or the recipe of a synthetic workload.
[[nodiscard]] std::string workload_yaml(const ConfigNode& workload);

[[nodiscard]] std::string host_yaml(const ConfigNode& host);

/// A value of `vm` or `spot`.
[[nodiscard]] std::string chain_yaml(const ConfigNode& chain);

/// A value of `evictor`.
[[nodiscard]] std::string evictor_yaml(const ConfigNode& evictor);

}  // namespace cospot
