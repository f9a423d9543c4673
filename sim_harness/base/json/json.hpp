#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace cospot {

/// JSON as a tree; the members of an object stay in the order in which they were added.
using Json = nlohmann::ordered_json;

/// A number: whole ones without a point, `null` when it is none or not finite.
[[nodiscard]] Json json_of(std::optional<double> number);

/// A list of what `make` makes of each value.
template <class Values, class Make>
[[nodiscard]] Json json_list_of(const Values& values, const Make& make) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(make(value));
  return list;
}

/// Without spaces, each number with the fewest digits that read back the same: dump() takes more
/// for one in a thousand.
[[nodiscard]] std::string text_of(const Json& json);

/// Reads a stored text. Errors: DatabaseError that starts with `source`.
[[nodiscard]] Json parse_json(const std::string& text, const std::string& source);

}  // namespace cospot
