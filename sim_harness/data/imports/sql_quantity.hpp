#pragma once

#include <optional>
#include <string_view>

struct sqlite3;

namespace cospot {

/// Parses a Kubernetes quantity: a decimal number with an optional exponent and one of the suffixes
/// n u m k M G T P E (powers of ten) or Ki Mi Gi Ti Pi Ei (powers of 1024); also as people write
/// it, `16 GiB`. Nothing: not a quantity.
[[nodiscard]] std::optional<double> parse_quantity(std::string_view text);

/// Adds the SQL function quantity(x) to a connection: NULL for NULL, an error for anything but a
/// quantity.
void add_quantity_function(sqlite3* connection);

}  // namespace cospot
