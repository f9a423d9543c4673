#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// Writes a command's result to standard output. Errors: InputError when it cannot be written, as
/// on a full disk.
void print(const std::string& text);

/// The same of JSON, as a line.
void print_json(const Json& json);

/// Prints each on a line of its own to the standard error.
void print_warnings(const std::vector<std::string>& warnings);

/// What ended the program, as a line on the standard error.
void print_error(std::string_view text);

}  // namespace cospot
