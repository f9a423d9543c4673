#include "sim_harness/commands/print.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "core/errors.hpp"
#include "sim_harness/base/text/terminal_ink.hpp"

namespace cospot {

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    throw InputError("standard output cannot be written");
  }
}

void print_json(const Json& json) { print(text_of(json) + "\n"); }

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    fmt::print(stderr, "cospot: {} {}\n", inked(Ink::kWarning, "warning:", stderr), warning);
  }
}

void print_error(std::string_view text) {
  fmt::print(stderr, "{} {}\n", inked(Ink::kError, "cospot:", stderr), text);
}

}  // namespace cospot
