#include "sim_harness/commands/print.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "core/errors.hpp"

namespace cospot {

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    throw InputError("standard output cannot be written");
  }
}

void print_json(const Json& json) { print(text_of(json) + "\n"); }

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) fmt::print(stderr, "cospot: warning: {}\n", warning);
}

}  // namespace cospot
