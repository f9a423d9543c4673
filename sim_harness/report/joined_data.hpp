#pragma once

#include <string_view>

#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// The data of two reports as one: a run is where both have their axes' values, behind a first axis
/// `database` with the values `before` and `after`. Values of an axis that one of the two lacks
/// come last; a column that one lacks is left out.
///
/// Errors: DatabaseError when they are of different studies or have different axes; it starts with
/// `names`.
[[nodiscard]] Json joined_data(Json before, Json after, std::string_view names);

}  // namespace cospot
