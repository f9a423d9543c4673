#pragma once

#include <string_view>

#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// The data of two reports as one: a run is where both have its axis values, with a new first axis
/// `database` (`before`, `after`). Axis values that one of them lacks come last; columns that one
/// lacks are dropped.
///
/// Errors: DatabaseError, starting with `names`, if they are of different studies or have different
/// axes.
[[nodiscard]] Json joined_data(Json before, Json after, std::string_view names);

}  // namespace cospot
