#pragma once

#include <string_view>
#include <vector>

namespace cospot {

/// Sets `fields`, whose memory it uses again, to what is between the separators of `line`: at least
/// one. Quotes are characters like others.
void split_fields(std::string_view line, std::vector<std::string_view>& fields,
                  char separator = ',');

/// The same, anew.
[[nodiscard]] std::vector<std::string_view> split_fields(std::string_view line,
                                                         char separator = ',');

}  // namespace cospot
