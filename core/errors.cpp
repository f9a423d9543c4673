#include "core/errors.hpp"

#include "core/printable_text.hpp"

namespace cospot {

InputError::InputError(std::string_view text) : std::runtime_error(printable_line(text)) {}

PolicyError::PolicyError(std::string_view text) : std::runtime_error(printable_line(text)) {}

}  // namespace cospot
