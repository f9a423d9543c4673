#include "core/nearest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/lower_case.hpp"

namespace cospot {
namespace {

/// The number of letters to add, leave out, replace or swap.
std::size_t edits_between(std::string_view a, std::string_view b) {
  const auto same = [&](std::size_t i, std::size_t j) { return a[i] == b[j]; };
  // rows[i][j]: between the first i letters of a and the first j of b.
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1,
                             rows[i - 1][j - 1] + (same(i - 1, j - 1) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1)) {
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows[a.size()][b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> names) {
  constexpr std::size_t kLongestName = 64;
  if (name.size() > kLongestName) return {};
  std::string_view nearest;
  // A quarter of the letters may be wrong: at least one, but of fewer than three none.
  const std::size_t most = name.size() < 3 ? 0 : std::max<std::size_t>(1, name.size() / 4);
  std::size_t fewest = most + 1;
  const std::string lower = in_lower_case(name);
  for (const std::string_view candidate : names) {
    const std::size_t edits = edits_between(lower, in_lower_case(candidate));
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = candidate;
  }
  return nearest;
}

std::string valid_names_text(std::string_view name, std::span<const std::string_view> names,
                             std::string_view list) {
  const std::string_view near = nearest_name(name, names);
  if (!near.empty()) return "did you mean '" + std::string(near) + "'?";
  std::string text = std::string(list) + ": ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += ", ";
    text += names[i];
  }
  return text;
}

}  // namespace cospot
