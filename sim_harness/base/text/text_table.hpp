#pragma once

#include <string>
#include <vector>

namespace cospot {

/// A table of text cells; every column is as wide as its widest cell.
class TextTable {
 public:
  enum class Align : bool { kLeft, kRight };

  void add_column(std::string title, Align align = Align::kRight) {
    titles_.push_back(std::move(title));
    aligns_.push_back(align);
  }

  /// Expects one cell per column. Each cell becomes a printable_line().
  void add_row(std::vector<std::string> cells);

  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// Lines have no trailing spaces.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> titles_;
  std::vector<Align> aligns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace cospot
