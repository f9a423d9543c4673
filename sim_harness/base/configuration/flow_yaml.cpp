#include "sim_harness/base/configuration/flow_yaml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/lower_case.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {
namespace {

/// The characters that end a line for some readers of YAML, or belong to none.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOtherLineEnds{
    {{"\xc2\x85", "\\u0085"},
     {"\xe2\x80\xa8", "\\u2028"},
     {"\xe2\x80\xa9", "\\u2029"},
     {"\xef\xbb\xbf", "\\ufeff"}}};

std::string byte_escape(char byte) {
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
}

/// The text with the escapes of double quotes in place of control characters and line ends.
std::string on_one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const auto end = std::ranges::find_if(
        kOtherLineEnds, [&text](const auto& one) { return text.starts_with(one.first); });
    const char first = text.front();
    const bool is_control = (first >= 0 && first < 0x20) || first == 0x7f;
    if (end != kOtherLineEnds.end()) {
      line += end->second;
    } else {
      line += is_control ? byte_escape(first) : std::string(1, first);
    }
    text.remove_prefix(end != kOtherLineEnds.end() ? end->first.size() : 1);
  }
  return line;
}

std::string quoted_yaml(std::string_view text) {
  std::string marked;
  for (const char c : text) {
    if (c == '"' || c == '\\') marked += '\\';
    marked += c;
  }
  const std::string line = on_one_line(marked);
  if (find_non_text(line) != std::string_view::npos) {
    throw ConfigError(fmt::format("{} cannot be written into a YAML file, expected a text in UTF-8",
                                  yaml_comment(text)));
  }
  return '"' + line + '"';
}

/// Tells whether a YAML reader could take the bare word for something else than a text.
bool is_reserved(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kReserved{
      "true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf", "infinity"};
  return std::ranges::find(kReserved, in_lower_case(text)) != kReserved.end();
}

}  // namespace

std::string yaml_comment(std::string_view text) {
  std::string line = on_one_line(text);
  for (std::size_t at = 0; (at = find_non_text(line)) != std::string::npos;) {
    line.replace(at, 1, byte_escape(line[at]));
  }
  return "# " + line;
}

std::string yaml_text(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool plain = !text.empty() && is_letter(text.front()) && !is_reserved(text) &&
                     std::all_of(text.begin(), text.end(), [&](char c) {
                       return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                              c == '.' || c == '/' || c == '+';
                     });
  return plain ? std::string(text) : quoted_yaml(text);
}

std::string flow_yaml(const Json& json) {
  if (json.is_string()) return yaml_text(json.get<std::string>());
  std::vector<std::string> parts;
  if (json.is_array()) {
    for (const Json& item : json) parts.push_back(flow_yaml(item));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  if (!json.is_object()) return compact_json(json);
  for (const auto& [key, value] : json.items()) {
    parts.push_back(fmt::format("{}: {}", yaml_text(key), flow_yaml(value)));
  }
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace cospot
