#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cospot {

struct SqlToken {
  enum class Kind : std::uint8_t { kEnd, kColumn, kWord, kNumber, kText, kSign };

  Kind kind = Kind::kEnd;
  std::string text{};      ///< of all but quoted columns and numbers; in lower case but for texts
  std::size_t column = 0;  ///< of columns
};

/// An expression, split as SQLite does.
class SqlTokens {
 public:
  SqlTokens(std::string_view text, std::span<const std::string> columns);

  [[nodiscard]] std::size_t size() const { return tokens_.size(); }

  /// Positions outside are ends; -1 wraps around to one of them.
  [[nodiscard]] const SqlToken& operator[](std::size_t i) const;

  [[nodiscard]] bool is(std::size_t i, std::string_view text) const;
  /// The same where a column may have the word for its name, as `end`.
  [[nodiscard]] bool is_named(std::size_t i, std::string_view text) const;

 private:
  using Kind = SqlToken::Kind;

  bool skip_blanks();
  void take();
  /// Returns what stands between quotation marks, of which doubled ones are part of it.
  std::string take_quoted(char mark);
  void take_number();
  void take_sign();
  void add_name(std::string_view name, bool is_call);

  std::string_view rest_;
  std::vector<std::string> names_;
  std::vector<SqlToken> tokens_;
};

}  // namespace cospot
