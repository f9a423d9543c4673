#pragma once

#include <optional>
#include <string_view>

struct sqlite3;

namespace cospot {

/// Reads a Kubernetes quantity: a decimal number, if need be with an exponent, and one of the
/// suffixes n u m k M G T P E (powers of ten) or Ki Mi Gi Ti Pi Ei (of 1024). Nothing: no quantity.
[[nodiscard]] std::optional<double> parse_quantity(std::string_view text);

/// Gives a connection the SQL function quantity(x): NULL of NULL, an error of what is no quantity.
void add_quantity_function(sqlite3* connection);

}  // namespace cospot
