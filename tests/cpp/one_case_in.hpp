#pragma once

#include <cstdint>
#include <cstdlib>

namespace cospot {

/// One random case in so many is looked at; all at night (COSPOT_ALL_CASES).
inline std::uint64_t one_case_in() { return std::getenv("COSPOT_ALL_CASES") != nullptr ? 1 : 5; }

}  // namespace cospot
