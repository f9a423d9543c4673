#pragma once

#include <string_view>
#include <vector>

namespace cospot {

/// Sets `fields`, whose memory it uses again, to what is between the commas of `line`: at least
/// one. Quotes are characters like others.
void split_fields(std::string_view line, std::vector<std::string_view>& fields);

}  // namespace cospot
