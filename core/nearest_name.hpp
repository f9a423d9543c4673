#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cospot {

/// The name that somebody who wrote `name` most likely meant: the one with the fewest letters
/// added, left out, replaced or swapped with their neighbour, when these are few for its length.
/// Upper and lower case are the same. Empty when no name is that near.
[[nodiscard]] std::string_view nearest_name(std::string_view name,
                                            std::span<const std::string_view> names);

/// The end of an error about an unknown name: `did you mean 'compare'?`, or all of them behind
/// `list`: `valid names: compare, merge`.
[[nodiscard]] std::string valid_names_text(std::string_view name,
                                           std::span<const std::string_view> names,
                                           std::string_view list = "valid names");

}  // namespace cospot
