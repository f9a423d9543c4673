#include "sim_harness/base/text/terminal_ink.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>

namespace cospot {
namespace {

bool shows_ink(std::FILE* stream) {
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool is_refused = no_color != nullptr && *no_color != 0;
  return !is_refused && terminal != nullptr && std::string_view(terminal) != "dumb" &&
         isatty(fileno(stream)) != 0;
}

}  // namespace

std::string inked(Ink ink, std::string_view text, std::FILE* stream) {
  static constexpr std::array<std::string_view, 3> kCodes{"1", "1;31", "33"};
  if (!shows_ink(stream)) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<std::size_t>(ink)], text);
}

}  // namespace cospot
