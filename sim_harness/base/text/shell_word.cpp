#include "sim_harness/base/text/shell_word.hpp"

namespace cospot {

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string set_arguments(std::span<const std::string> assignments) {
  std::string text;
  for (const std::string& assignment : assignments) text += " --set " + shell_word(assignment);
  return text;
}

}  // namespace cospot
