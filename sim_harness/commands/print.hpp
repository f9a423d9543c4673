#pragma once

#include <string>

namespace cospot {

/// Writes a command's result to standard output. Errors: InputError when it cannot be written, as
/// on a full disk.
void print(const std::string& text);

}  // namespace cospot
