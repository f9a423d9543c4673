#pragma once

#include <string>

namespace cospot {

/// What `call` throws, or "" when it throws nothing.
template <class Error, class Call>
[[nodiscard]] std::string error_text(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

[[nodiscard]] inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace cospot
