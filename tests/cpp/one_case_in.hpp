#pragma once

#include <cstdint>
#include <cstdlib>

namespace cospot {

/// One random case in so many is looked at; all at night (COSPOT_ALL_CASES), fewer by sanitizers.
inline std::uint64_t one_case_in() {
  if (std::getenv("COSPOT_ALL_CASES") != nullptr) return 1;
#ifdef COSPOT_SANITIZED
  return 5;
#else
  return 3;
#endif
}

}  // namespace cospot
