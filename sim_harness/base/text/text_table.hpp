#pragma once

#include <string>
#include <vector>

namespace cospot {

/// Lines of cells, printed with every column as wide as its widest cell.
class TextTable {
 public:
  enum class Align : bool { kLeft, kRight };

  void add_column(std::string title, Align align = Align::kRight) {
    titles_.push_back(std::move(title));
    aligns_.push_back(align);
  }

  /// `cells` are as many as there are columns.
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// Lines end without spaces.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> titles_;
  std::vector<Align> aligns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace cospot
