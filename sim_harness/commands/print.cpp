#include "sim_harness/commands/print.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/printable_text.hpp"
#include "sim_harness/base/text/terminal_ink.hpp"

namespace cospot {
namespace {

/// Merges warnings that differ only in the workload at their beginning.
std::vector<std::string> merged_warnings(const std::vector<std::string>& warnings) {
  struct Merged {
    std::string text;
    std::vector<std::string> names;
  };
  std::vector<Merged> all;
  for (const std::string& warning : warnings) {
    const std::size_t colon = std::min(warning.find(": "), warning.size());
    const std::string text = warning.substr(colon);
    auto same = std::ranges::find(all, text, &Merged::text);
    if (same == all.end()) same = all.insert(same, {.text = text, .names = {}});
    same->names.push_back(warning.substr(0, colon));
  }
  std::vector<std::string> texts;
  for (const Merged& merged : all) {
    constexpr std::size_t kShown = 3;
    const std::size_t shown = std::min(kShown, merged.names.size());
    const std::size_t others = merged.names.size() - shown;
    texts.push_back(
        fmt::format("{}{}{}",
                    fmt::join(merged.names.begin(),
                              merged.names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                    others == 0 ? "" : fmt::format(" and {} more", others), merged.text));
  }
  return texts;
}

}  // namespace

void print(const std::string& text) {
  if (std::fputs(printable(text).c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    throw InputError("standard output cannot be written");
  }
}

void print_json(const Json& json) { print(text_of(json) + "\n"); }

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : merged_warnings(warnings)) {
    fmt::print(stderr, "cospot: {} {}\n", inked(Ink::kWarning, "warning:", stderr),
               printable_line(warning));
  }
}

void print_error(std::string_view text) {
  fmt::print(stderr, "{} {}\n", inked(Ink::kError, "cospot:", stderr), printable(text));
}

}  // namespace cospot
