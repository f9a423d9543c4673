#pragma once

#include <cstdint>

namespace cospot {

/// Sanitizers take ten times as long, and see in a part of the random cases what they would in all.
#ifdef COSPOT_SANITIZED
inline constexpr std::uint64_t kOneCaseIn = 5;
#else
inline constexpr std::uint64_t kOneCaseIn = 1;
#endif

}  // namespace cospot
