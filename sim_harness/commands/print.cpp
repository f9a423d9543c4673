#include "sim_harness/commands/print.hpp"

#include <cstdio>

#include "core/errors.hpp"

namespace cospot {

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    throw InputError("standard output cannot be written");
  }
}

}  // namespace cospot
