#pragma once

#include "sim_harness/configuration/yaml_reader.hpp"

namespace cospot {

// Tell whether a policy needs true lifetimes (true_lifetimes.hpp) as sweep_json writes it: the
// chain under `vm` or `spot`, or the evictor. What a run with one of them earns is an upper bound.
[[nodiscard]] bool chain_needs_true_lifetimes(const ConfigNode& chain);
[[nodiscard]] bool evictor_needs_true_lifetimes(const ConfigNode& evictor);

}  // namespace cospot
