#pragma once

#include <string>
#include <string_view>

#include "sim_harness/configuration/yaml_reader.hpp"
#include "sim_harness/results/column.hpp"
#include "sim_harness/results/experiment_record.hpp"

namespace cospot {

// The axes that studies of the provider's simulation have in common: their columns, and their
// values as a configuration (provider_json.hpp, read by parse_yaml) has them.

[[nodiscard]] Column workload_column();
[[nodiscard]] Column headroom_column();
[[nodiscard]] Column vm_column();
[[nodiscard]] Column spot_column();
[[nodiscard]] Column evictor_column();
[[nodiscard]] Column saf_column();
[[nodiscard]] Column otn_column();

// Errors: ConfigError when the key is missing or something else.
[[nodiscard]] Axis workload_axis(const ConfigNode& root);
[[nodiscard]] Axis size_axis(const ConfigNode& root);
[[nodiscard]] Axis chain_axis(const ConfigNode& root, std::string_view key);  ///< vm or spot
[[nodiscard]] Axis evictor_axis(const ConfigNode& root);
[[nodiscard]] Axis saf_axis(const ConfigNode& root);
[[nodiscard]] Axis otn_axis(const ConfigNode& root);

/// An axis of whole numbers under the key `name`, such as `seed`.
[[nodiscard]] Axis integer_axis(const ConfigNode& root, std::string_view name);

/// The column `otn` of an offer: a whole number where its label is one.
[[nodiscard]] Value offer_value(const std::string& label);

}  // namespace cospot
