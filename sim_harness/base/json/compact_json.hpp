#pragma once

#include <string>

#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// dump() on one line. Names of files need not be UTF-8: U+FFFD stands for bytes that are not,
/// where dump() throws.
[[nodiscard]] std::string compact_json(const Json& json);

}  // namespace cospot
