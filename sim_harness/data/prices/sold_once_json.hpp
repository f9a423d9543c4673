#pragma once

#include <string>

#include "sim_harness/data/prices/price_list.hpp"

namespace cospot {

/// kSoldOnce as the value of the key `note` of a JSON object with an income.
[[nodiscard]] inline std::string sold_once_note() {
  return std::string(kSoldOnce.substr(0, kSoldOnce.size() - 1));
}

}  // namespace cospot
