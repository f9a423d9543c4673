#pragma once

#include <string>

namespace cospot {

/// The keys in which two configurations of a study (JSON) differ, for a sentence: "otn, saf".
[[nodiscard]] std::string describe_difference(const std::string& one, const std::string& other);

}  // namespace cospot
