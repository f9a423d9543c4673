#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace cospot {

/// JSON as a tree; the members of an object keep their order of insertion.
using Json = nlohmann::ordered_json;

/// A number: whole ones without a point, `null` for a missing or non-finite one.
[[nodiscard]] Json json_of(std::optional<double> number);

/// A list of the results of `make` for each value.
template <class Values, class Make>
[[nodiscard]] Json json_list_of(const Values& values, const Make& make) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(make(value));
  return list;
}

/// Without spaces, and each number with the fewest digits that read back the same; dump() uses more
/// for one number in a thousand.
[[nodiscard]] std::string text_of(const Json& json);

/// dump() on one line. Names of files need not be UTF-8: U+FFFD stands for bytes that are not,
/// where dump() throws.
[[nodiscard]] std::string compact_json(const Json& json);

/// Parses a stored text. Errors: DatabaseError that starts with `source`.
[[nodiscard]] Json parse_json(const std::string& text, const std::string& source);

}  // namespace cospot
