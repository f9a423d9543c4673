#pragma once

#include <string>

#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// A configuration of a study (JSON) without the paths of workloads that have labels: their files
/// may be moved, and workers have copies elsewhere.
[[nodiscard]] Json identity_of(const std::string& configuration);

/// The keys in which two configurations of a study (JSON) differ, for a sentence: "otn, saf".
[[nodiscard]] std::string describe_difference(const std::string& one, const std::string& other);

}  // namespace cospot
