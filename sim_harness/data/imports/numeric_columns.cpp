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

#include "core/parse_number.hpp"
#include "sim_harness/data/imports/sql_tokens.hpp"

namespace cospot {
namespace {

using Token = SqlToken;

bool is_one_of(const Token& token, SqlToken::Kind kind, std::span<const std::string_view> texts) {
  return token.kind == kind && std::ranges::find(texts, token.text) != texts.end();
}

bool is_arithmetic(const Token& token) {
  static constexpr std::array<std::string_view, 5> kSigns{"+", "-", "*", "/", "%"};
  return is_one_of(token, SqlToken::Kind::kSign, kSigns);
}

/// Tells apart values that are not the same.
bool is_equation(const Token& token) {
  static constexpr std::array<std::string_view, 4> kSigns{"=", "==", "<>", "!="};
  return is_one_of(token, SqlToken::Kind::kSign, kSigns) ||
         (token.kind == SqlToken::Kind::kWord && token.text == "is");
}

/// Puts values in order.
bool is_order(const Token& token) {
  static constexpr std::array<std::string_view, 4> kSigns{"<", "<=", ">", ">="};
  return is_one_of(token, SqlToken::Kind::kSign, kSigns) ||
         (token.kind == SqlToken::Kind::kWord && token.text == "between");
}

/// Signs and words between which and a column only a text makes sense.
bool is_of_texts(const Token& token) {
  static constexpr std::array<std::string_view, 3> kSigns{"||", "->", "->>"};
  static constexpr std::array<std::string_view, 5> kWords{"like", "glob", "regexp", "match",
                                                          "collate"};
  return is_one_of(token, SqlToken::Kind::kSign, kSigns) ||
         is_one_of(token, SqlToken::Kind::kWord, kWords);
}

/// Functions that give one of their arguments.
bool gives_an_argument(const Token& token) {
  static constexpr std::array<std::string_view, 6> kNames{"coalesce", "ifnull", "nullif",
                                                          "iif",      "max",    "min"};
  return is_one_of(token, SqlToken::Kind::kWord, kNames);
}

bool is_maximum(const Token& token) {
  return token.kind == SqlToken::Kind::kWord && (token.text == "max" || token.text == "min");
}

bool is_of_numbers(const Token& token) {
  static constexpr std::array<std::string_view, 2> kNames{"abs", "round"};
  return is_one_of(token, SqlToken::Kind::kWord, kNames);
}

enum class Use : std::uint8_t {
  kEither,
  kOrder,  ///< compared as a number if it is one
  kNumber,
  kText
};

/// The type that an expression assumes for one occurrence of a column, or of the value it gives.
class Occurrence {
 public:
  Occurrence(const SqlTokens& tokens, std::size_t at)
      : tokens_(&tokens), begin_(at), end_(at + 1) {}

  /// The texts that become NULL before it is used, as of `nullif(x, 'none')`.
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

  [[nodiscard]] Use use() {
    const Use found = use_around();
    if (found == Use::kEither && !texts_.empty()) return Use::kText;
    return found == Use::kEither && is_ordered_ ? Use::kOrder : found;
  }

 private:
  [[nodiscard]] Use use_around() {
    for (;;) {
      if (const Use found = by_neighbours(); found != Use::kEither) return found;
      if (leave_case()) continue;
      const std::optional<std::size_t> opening = bracket_around();
      if (!opening) return Use::kEither;
      const Token& before = (*tokens_)[*opening - 1];
      const bool is_alone = begin_ == *opening + 1 && tokens_->is(end_, ")");
      if (is_of_numbers(before)) return Use::kNumber;
      if (before.kind == SqlToken::Kind::kWord && before.text == "cast") return Use::kText;
      if (tokens_->is(*opening - 1, "nullif")) {
        const Token& second = (*tokens_)[end_ + 1];
        if (tokens_->is(end_, ",") && second.kind == SqlToken::Kind::kText)
          texts_.push_back(second.text);
        // As the second argument it is only compared.
        if ((*tokens_)[begin_ - 2].kind == SqlToken::Kind::kText) return Use::kText;
        is_ordered_ |= tokens_->is(end_, ",") && second.kind == SqlToken::Kind::kNumber;
      }
      const bool is_group = is_alone && before.kind != SqlToken::Kind::kWord;
      if (!is_group && !gives_an_argument(before)) {
        return is_call(before) ? Use::kText : Use::kEither;
      }
      is_ordered_ |= is_maximum(before);
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
    if (is_order(left) || is_equation(left)) return use_compared(begin_ - 1, begin_ - 2);
    if (is_order(right) || is_equation(right)) {
      return use_compared(next, next + (tokens_->is(next + 1, "not") ? 2 : 1));
    }
    if (tokens_->is(begin_ - 1, "and")) {
      const std::size_t first = side(begin_ - 1, -1);
      if (tokens_->is(first - 1, "between")) return use_compared(first - 1, first - 2);
    }
    if (tokens_->is(next, "in") && tokens_->is(next + 1, "(")) return use_in_list(next + 1);
    if (tokens_->is(begin_ - 1, "case") && tokens_->is(end_, "when") &&
        (*tokens_)[end_ + 1].kind == SqlToken::Kind::kNumber) {
      return Use::kOrder;
    }
    return Use::kEither;
  }

  /// Compared by a sign with what begins, or ends, at a token. Ids are equal if their texts are;
  /// but where either side has a number in it, numbers are compared.
  [[nodiscard]] Use use_compared(std::size_t sign, std::size_t at) const {
    const Use found = use_beside(at);
    if (found != Use::kEither || is_order((*tokens_)[sign])) {
      return found == Use::kEither ? Use::kOrder : found;
    }
    for (std::size_t i = side(sign, -1); i < side(sign, 1); ++i) {
      const Token& token = (*tokens_)[i];
      const bool is_number = token.kind == SqlToken::Kind::kNumber || is_arithmetic(token) ||
                             is_of_numbers(token) || is_maximum(token);
      if (is_number) return Use::kOrder;
    }
    return Use::kEither;
  }

  /// Returns where the operand before a token begins (step -1), or the one behind it ends (1).
  [[nodiscard]] std::size_t side(std::size_t token, int step) const {
    static constexpr std::array<std::string_view, 7> kBounds{"and",  "or",   "not",    "when",
                                                             "then", "else", "between"};
    int depth = 0;
    std::size_t at = step < 0 ? token : token + 1;
    for (; step < 0 ? at > 0 : at < tokens_->size(); at = step < 0 ? at - 1 : at + 1) {
      const std::size_t next = step < 0 ? at - 1 : at;
      const Token& each = (*tokens_)[next];
      const int opens = tokens_->is(next, "(") || tokens_->is(next, "case") ? step : 0;
      const int closes = tokens_->is(next, ")") || tokens_->is_named(next, "end") ? step : 0;
      const bool is_bound = is_one_of(each, SqlToken::Kind::kWord, kBounds) ||
                            tokens_->is(next, ",") || is_order(each) || is_equation(each);
      if (depth == 0 && (is_bound || opens < 0 || closes > 0)) break;
      depth += opens - closes;
    }
    return at;
  }

  /// Moves from one of the values of a `case` to the whole of it.
  [[nodiscard]] bool leave_case() {
    if (!tokens_->is(begin_ - 1, "then") && !tokens_->is(begin_ - 1, "else")) return false;
    std::size_t first = begin_;
    for (int depth = 1; depth > 0; --first) {
      if (first == 0) return false;
      depth += tokens_->is_named(first - 1, "end") ? 1 : tokens_->is(first - 1, "case") ? -1 : 0;
    }
    std::size_t last = end_;
    for (int depth = 1; depth > 0; ++last) {
      if (last == tokens_->size()) return false;
      depth += tokens_->is_named(last, "end") ? -1 : tokens_->is(last, "case") ? 1 : 0;
    }
    begin_ = first;
    end_ = last;
    return true;
  }

  [[nodiscard]] Use use_beside(std::size_t at) const {
    if (is_arithmetic((*tokens_)[at])) ++at;  // the sign of a number
    const SqlToken::Kind kind = (*tokens_)[at].kind;
    return kind == SqlToken::Kind::kNumber ? Use::kNumber
           : kind == SqlToken::Kind::kText ? Use::kText
                                           : Use::kEither;
  }

  [[nodiscard]] Use use_in_list(std::size_t opening) const {
    Use found = Use::kEither;
    for (std::size_t i = opening; i < closing(opening); ++i) {
      if ((*tokens_)[i].kind == SqlToken::Kind::kText) return Use::kText;
      if ((*tokens_)[i].kind == SqlToken::Kind::kNumber) found = Use::kNumber;
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
    return word.kind == SqlToken::Kind::kWord && !is_one_of(word, SqlToken::Kind::kWord, kSqlWords);
  }

  const SqlTokens* tokens_;
  std::size_t begin_;
  std::size_t end_;
  std::vector<std::string> texts_;
  bool is_ordered_ = false;  ///< by a function that it is an argument of
};

}  // namespace

bool NumericColumn::takes(std::string_view field) const {
  return field.empty() || is_sql_number(field) || std::ranges::find(texts, field) != texts.end();
}

std::string NumericColumn::expected() const {
  if (texts.empty()) return "a number, or nothing";
  return fmt::format("a number, nothing, or '{}'", fmt::join(texts, "' or '"));
}

ColumnUses column_uses(std::string_view expression, std::span<const std::string> columns) {
  const SqlTokens tokens(expression, columns);
  ColumnUses uses;
  std::map<std::size_t, std::vector<std::string>> numbers;
  std::set<std::size_t> texts;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::size_t column = tokens[i].column;
    if (tokens[i].kind == SqlToken::Kind::kText) uses.texts.insert(tokens[i].text);
    if (tokens[i].kind != SqlToken::Kind::kColumn) continue;
    uses.columns.insert(column);
    Occurrence occurrence(tokens, i);
    const Use use = occurrence.use();
    if (use == Use::kText) texts.insert(column);
    if (use == Use::kNumber || use == Use::kOrder) uses.as_numbers.insert(column);
    if (use != Use::kNumber) continue;
    const std::vector<std::string>& handled = occurrence.texts();
    const auto known = numbers.try_emplace(column, handled).first;
    // An expression handles a text only if all its occurrences do.
    std::erase_if(known->second, [&handled](const std::string& text) {
      return std::ranges::find(handled, text) == handled.end();
    });
  }
  for (const auto& [column, handled] : numbers) {
    if (!texts.contains(column)) uses.numbers.push_back({.column = column, .texts = handled});
  }
  return uses;
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
