#include "sim_harness/base/json/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iterator>

namespace cospot {

std::string json_text(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(json), "\\u{:04x}", static_cast<int>(c));
    } else {
      json += c;
    }
  }
  return json + '"';
}

std::string json_number(std::optional<double> number) {
  if (!number || !std::isfinite(*number)) return "null";
  return fmt::format("{}", *number);
}

std::string json_bool(bool value) { return value ? "true" : "false"; }

std::string json_list(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ","));
}

JsonObject& JsonObject::add(std::string_view key, const std::string& json) {
  if (!members_.empty()) members_ += ",";
  members_ += json_text(key) + ":" + json;
  return *this;
}

}  // namespace cospot
