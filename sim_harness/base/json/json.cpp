#include "sim_harness/base/json/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "core/errors.hpp"

namespace cospot {

Json json_of(std::optional<double> number) {
  constexpr double kMostWhole = 1e15;
  if (!number || !std::isfinite(*number)) return nullptr;
  const bool is_minus_zero = *number == 0 && std::signbit(*number);
  if (std::abs(*number) < kMostWhole && *number == std::trunc(*number) && !is_minus_zero) {
    return static_cast<std::int64_t>(*number);
  }
  return *number;
}

std::string text_of(const Json& json) {
  if (json.is_number_float()) {
    const auto number = json.get<double>();
    return std::isfinite(number) ? fmt::format("{}", number) : "null";
  }
  if (!json.is_structured()) return compact_json(json);
  std::string text;
  for (const auto& [key, value] : json.items()) {
    if (!text.empty()) text += ",";
    if (json.is_object()) text += text_of(key) + ":";
    text += text_of(value);
  }
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string compact_json(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parse_json(const std::string& text, const std::string& source) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw DatabaseError(fmt::format("{}: cannot be read: {}", source, error.what()));
  }
}

}  // namespace cospot
