#include "sim_harness/base/text/shell_word.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cospot {

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  const auto is_control = [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; };
  if (std::ranges::none_of(text, is_control)) {
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
  }
  // A command stays on its line: the quotes of ksh, which bash, zsh and POSIX 2024 have too.
  std::string word = "$'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') word += '\\';
    word += is_control(c) ? fmt::format("\\{:03o}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return word + "'";
}

std::string set_arguments(std::span<const std::string> assignments) {
  std::string text;
  for (const std::string& assignment : assignments) text += " --set " + shell_word(assignment);
  return text;
}

}  // namespace cospot
