#include "sim_harness/base/text/text_table.hpp"

#include <algorithm>
#include <utility>

#include "core/printable_text.hpp"

namespace cospot {

void TextTable::add_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable_line(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < titles_.size(); ++column) {
    std::size_t width = titles_[column].size();
    for (const auto& row : rows_) width = std::max(width, row[column].size());
    widths.push_back(width);
  }
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const std::string padding(widths[column] - cells[column].size(), ' ');
      if (column > 0) text += "  ";
      text += aligns_[column] == Align::kLeft ? cells[column] + padding : padding + cells[column];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  add_line(titles_);
  for (const auto& row : rows_) add_line(row);
  return text;
}

}  // namespace cospot
