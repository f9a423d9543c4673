#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// Writes a command's result to standard output. Errors: InputError if that fails, for example on a
/// full disk.
void print(const std::string& text);

/// The same for JSON, as one line.
void print_json(const Json& json);

/// Prints each warning on its own line to standard error.
void print_warnings(const std::vector<std::string>& warnings);

/// Prints the error that ended the program as a line on standard error.
void print_error(std::string_view text);

}  // namespace cospot
