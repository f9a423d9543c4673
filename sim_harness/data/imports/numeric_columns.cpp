#include "sim_harness/data/imports/numeric_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/lower_case.hpp"
#include "core/parse_number.hpp"

namespace cospot {
namespace {

enum class TokenKind : std::uint8_t { kEnd, kColumn, kWord, kNumber, kText, kSign };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text{};      ///< of words, signs and texts; words in lower case
  std::size_t column = 0;  ///< of columns
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Splits an expression as SQLite does. Behind the last token stand as many ends as are asked for.
class Tokens {
 public:
  Tokens(std::string_view text, std::span<const std::string> columns) : rest_(text) {
    for (const std::string& column : columns) names_.push_back(in_lower_case(column));
    while (skip_blanks()) take();
  }

  [[nodiscard]] std::size_t size() const { return tokens_.size(); }

  /// Positions outside are ends; -1 wraps around to one of them.
  [[nodiscard]] const Token& operator[](std::size_t i) const {
    static const Token end;
    return i < tokens_.size() ? tokens_[i] : end;
  }
  [[nodiscard]] bool is(std::size_t i, std::string_view text) const {
    const Token& token = (*this)[i];
    return (token.kind == TokenKind::kSign || token.kind == TokenKind::kWord) && token.text == text;
  }

 private:
  bool skip_blanks() {
    for (;;) {
      const std::size_t first = rest_.find_first_not_of(" \t\r\n\f");
      rest_.remove_prefix(std::min(first, rest_.size()));
      if (rest_.starts_with("--")) {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (rest_.starts_with("/*")) {
        const std::size_t end = rest_.find("*/", 2);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
      } else {
        return !rest_.empty();
      }
    }
  }

  void take() {
    const char first = rest_.front();
    if (first == '\'') {
      tokens_.push_back({.kind = TokenKind::kText, .text = take_quoted(first)});
    } else if (first == '"' || first == '`') {
      add_name(take_quoted(first), false);
    } else if (first == '[') {
      add_name(take_quoted(']'), false);
    } else if (is_digit(first) || (first == '.' && rest_.size() > 1 && is_digit(rest_[1]))) {
      take_number();
    } else if (is_word(first)) {
      const auto* const end = std::ranges::find_if_not(rest_, is_word);
      const std::string_view word(rest_.begin(), end);
      rest_.remove_prefix(word.size());
      const bool is_call = rest_.starts_with('(');
      add_name(word, is_call);
    } else {
      take_sign();
    }
  }

  /// Returns what stands between quotation marks, of which doubled ones are part of it.
  std::string take_quoted(char mark) {
    std::string text;
    rest_.remove_prefix(1);
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == mark && !rest_.starts_with(mark)) break;
      if (c == mark) rest_.remove_prefix(1);
      text += c;
    }
    return text;
  }

  void take_number() {
    const auto is_part = [](char c) { return is_word(c) || c == '.'; };
    rest_.remove_prefix(
        static_cast<std::size_t>(std::ranges::find_if_not(rest_, is_part) - rest_.begin()));
    tokens_.push_back({.kind = TokenKind::kNumber});
  }

  void take_sign() {
    static constexpr std::array<std::string_view, 9> kLong{
        "->>", "->", "||", "<=", ">=", "<>", "!=", "==", "<<"};
    std::string_view sign = rest_.substr(0, 1);
    for (const std::string_view each : kLong) {
      if (rest_.starts_with(each)) {
        sign = each;
        break;
      }
    }
    tokens_.push_back({.kind = TokenKind::kSign, .text = std::string(sign)});
    rest_.remove_prefix(sign.size());
  }

  void add_name(std::string_view name, bool is_call) {
    std::string text = in_lower_case(name);
    const auto known = std::ranges::find(names_, text);
    if (is_call || known == names_.end()) {
      tokens_.push_back({.kind = TokenKind::kWord, .text = std::move(text)});
    } else {
      tokens_.push_back(
          {.kind = TokenKind::kColumn, .column = static_cast<std::size_t>(known - names_.begin())});
    }
  }

  std::string_view rest_;
  std::vector<std::string> names_;
  std::vector<Token> tokens_;
};

bool is_one_of(const Token& token, TokenKind kind, std::span<const std::string_view> texts) {
  return token.kind == kind && std::ranges::find(texts, token.text) != texts.end();
}

bool is_arithmetic(const Token& token) {
  static constexpr std::array<std::string_view, 5> kSigns{"+", "-", "*", "/", "%"};
  return is_one_of(token, TokenKind::kSign, kSigns);
}

bool is_comparison(const Token& token) {
  static constexpr std::array<std::string_view, 8> kSigns{
      "=", "==", "<>", "!=", "<", "<=", ">", ">="};
  return is_one_of(token, TokenKind::kSign, kSigns);
}

/// Signs and words between which and a column only a text makes sense.
bool is_of_texts(const Token& token) {
  static constexpr std::array<std::string_view, 3> kSigns{"||", "->", "->>"};
  static constexpr std::array<std::string_view, 5> kWords{"like", "glob", "regexp", "match",
                                                          "collate"};
  return is_one_of(token, TokenKind::kSign, kSigns) || is_one_of(token, TokenKind::kWord, kWords);
}

/// Functions that give one of their arguments.
bool gives_an_argument(const Token& token) {
  static constexpr std::array<std::string_view, 5> kNames{"coalesce", "ifnull", "nullif", "max",
                                                          "min"};
  return is_one_of(token, TokenKind::kWord, kNames);
}

bool is_of_numbers(const Token& token) {
  static constexpr std::array<std::string_view, 2> kNames{"abs", "round"};
  return is_one_of(token, TokenKind::kWord, kNames);
}

enum class Use : std::uint8_t { kEither, kNumber, kText };

/// What one occurrence of a column, or of what gives its value, is taken for.
class Occurrence {
 public:
  Occurrence(const Tokens& tokens, std::size_t at) : tokens_(&tokens), begin_(at), end_(at + 1) {}

  /// The texts that become NULL before it is used, as of `nullif(x, 'none')`.
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

  [[nodiscard]] Use use() {
    const Use found = use_around();
    return found == Use::kEither && !texts_.empty() ? Use::kText : found;
  }

 private:
  [[nodiscard]] Use use_around() {
    for (;;) {
      if (const Use found = by_neighbours(); found != Use::kEither) return found;
      const std::optional<std::size_t> opening = bracket_around();
      if (!opening) return Use::kEither;
      const Token& before = (*tokens_)[*opening - 1];
      const bool is_alone = begin_ == *opening + 1 && tokens_->is(end_, ")");
      if (is_of_numbers(before)) return Use::kNumber;
      if (before.kind == TokenKind::kWord && before.text == "cast") return Use::kText;
      if (tokens_->is(*opening - 1, "nullif")) {
        const Token& second = (*tokens_)[end_ + 1];
        if (tokens_->is(end_, ",") && second.kind == TokenKind::kText)
          texts_.push_back(second.text);
        // As the second argument it is only compared.
        if ((*tokens_)[begin_ - 2].kind == TokenKind::kText) return Use::kText;
      }
      const bool is_group = is_alone && before.kind != TokenKind::kWord;
      if (!is_group && !gives_an_argument(before)) {
        return is_call(before) ? Use::kText : Use::kEither;
      }
      begin_ = is_group ? *opening : *opening - 1;
      end_ = closing(*opening) + 1;
    }
  }

  [[nodiscard]] Use by_neighbours() const {
    const Token& left = (*tokens_)[begin_ - 1];
    std::size_t next = end_;
    if (tokens_->is(next, "not")) ++next;
    const Token& right = (*tokens_)[next];
    if (is_of_texts(left) || is_of_texts(right)) return Use::kText;
    if (is_arithmetic(left) || is_arithmetic(right)) return Use::kNumber;
    if (is_comparison(left)) return use_beside(begin_ - 2);
    if (is_comparison(right) || tokens_->is(next, "between")) return use_beside(next + 1);
    if (tokens_->is(next, "in") && tokens_->is(next + 1, "(")) return use_in_list(next + 1);
    return Use::kEither;
  }

  [[nodiscard]] Use use_beside(std::size_t at) const {
    if (is_arithmetic((*tokens_)[at])) ++at;  // the sign of a number
    const TokenKind kind = (*tokens_)[at].kind;
    return kind == TokenKind::kNumber ? Use::kNumber
           : kind == TokenKind::kText ? Use::kText
                                      : Use::kEither;
  }

  [[nodiscard]] Use use_in_list(std::size_t opening) const {
    Use found = Use::kEither;
    for (std::size_t i = opening; i < closing(opening); ++i) {
      if ((*tokens_)[i].kind == TokenKind::kText) return Use::kText;
      if ((*tokens_)[i].kind == TokenKind::kNumber) found = Use::kNumber;
    }
    return found;
  }

  /// The bracket that opens what this stands in as an argument of its own.
  [[nodiscard]] std::optional<std::size_t> bracket_around() const {
    if (!tokens_->is(end_, ",") && !tokens_->is(end_, ")") && !tokens_->is(end_, "as")) return {};
    if (!tokens_->is(begin_ - 1, "(") && !tokens_->is(begin_ - 1, ",")) return {};
    int depth = 0;
    for (std::size_t i = begin_; i-- > 0;) {
      if (tokens_->is(i, ")")) ++depth;
      if (tokens_->is(i, "(") && depth-- == 0) return i;
    }
    return {};
  }

  [[nodiscard]] std::size_t closing(std::size_t opening) const {
    int depth = 0;
    for (std::size_t i = opening; i < tokens_->size(); ++i) {
      if (tokens_->is(i, "(")) ++depth;
      if (tokens_->is(i, ")") && --depth == 0) return i;
    }
    return tokens_->size();
  }

  /// Tells whether a word before a bracket is a function: not one of SQL's own.
  [[nodiscard]] static bool is_call(const Token& word) {
    static constexpr std::array<std::string_view, 11> kSqlWords{
        "and", "or", "not", "in", "when", "then", "else", "case", "between", "is", "like"};
    return word.kind == TokenKind::kWord && !is_one_of(word, TokenKind::kWord, kSqlWords);
  }

  const Tokens* tokens_;
  std::size_t begin_;
  std::size_t end_;
  std::vector<std::string> texts_;
};

}  // namespace

bool NumericColumn::takes(std::string_view field) const {
  return field.empty() || is_sql_number(field) || std::ranges::find(texts, field) != texts.end();
}

std::string NumericColumn::expected() const {
  if (texts.empty()) return "a number, or nothing";
  return fmt::format("a number, nothing, or '{}'", fmt::join(texts, "' or '"));
}

std::vector<NumericColumn> numeric_columns(std::string_view expression,
                                           std::span<const std::string> columns) {
  const Tokens tokens(expression, columns);
  std::map<std::size_t, std::vector<std::string>> numbers;
  std::set<std::size_t> texts;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::kColumn) continue;
    Occurrence occurrence(tokens, i);
    const Use use = occurrence.use();
    if (use == Use::kText) texts.insert(tokens[i].column);
    if (use != Use::kNumber) continue;
    const std::vector<std::string>& handled = occurrence.texts();
    const auto known = numbers.try_emplace(tokens[i].column, handled).first;
    // What only some of the occurrences handle, the expression does not.
    std::erase_if(known->second, [&handled](const std::string& text) {
      return std::ranges::find(handled, text) == handled.end();
    });
  }
  std::vector<NumericColumn> found;
  for (const auto& [column, handled] : numbers) {
    if (!texts.contains(column)) found.push_back({.column = column, .texts = handled});
  }
  return found;
}

bool is_sql_number(std::string_view field) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const std::size_t first = field.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return false;
  field = field.substr(first, field.find_last_not_of(kBlanks) - first + 1);
  if (field.starts_with('+') && field.size() > 1 && field[1] != '-') field.remove_prefix(1);
  return parse_number(field).has_value();
}

}  // namespace cospot
