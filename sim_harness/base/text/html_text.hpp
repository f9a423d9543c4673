#pragma once

#include <string>
#include <string_view>

namespace cospot {

/// A text as it stands in HTML, also between the quotes of an attribute.
[[nodiscard]] std::string html_text(std::string_view text);

}  // namespace cospot
