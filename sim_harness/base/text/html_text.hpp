#pragma once

#include <string>
#include <string_view>

namespace cospot {

/// Escapes a text for HTML, including quoted attributes.
[[nodiscard]] std::string html_text(std::string_view text);

}  // namespace cospot
