#pragma once

#include <string>
#include <string_view>

namespace cospot {

/// `text` with the letters of ASCII in lower case, whatever the locale.
[[nodiscard]] inline std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return lower;
}

}  // namespace cospot
