#include "sim_harness/data/imports/sql_tokens.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/lower_case.hpp"

namespace cospot {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

SqlTokens::SqlTokens(std::string_view text, std::span<const std::string> columns) : rest_(text) {
  for (const std::string& column : columns) names_.push_back(in_lower_case(column));
  while (skip_blanks()) take();
}

const SqlToken& SqlTokens::operator[](std::size_t i) const {
  static const SqlToken end;
  return i < tokens_.size() ? tokens_[i] : end;
}

bool SqlTokens::is(std::size_t i, std::string_view text) const {
  const SqlToken& token = (*this)[i];
  return (token.kind == Kind::kSign || token.kind == Kind::kWord) && token.text == text;
}

bool SqlTokens::is_named(std::size_t i, std::string_view text) const {
  return is(i, text) || ((*this)[i].kind == Kind::kColumn && (*this)[i].text == text);
}

bool SqlTokens::skip_blanks() {
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

void SqlTokens::take() {
  const char first = rest_.front();
  if (first == '\'') {
    tokens_.push_back({.kind = Kind::kText, .text = take_quoted(first)});
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
    add_name(word, rest_.starts_with('('));
    tokens_.back().text = in_lower_case(word);
  } else {
    take_sign();
  }
}

std::string SqlTokens::take_quoted(char mark) {
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

void SqlTokens::take_number() {
  const auto is_part = [](char c) { return is_word(c) || c == '.'; };
  rest_.remove_prefix(
      static_cast<std::size_t>(std::ranges::find_if_not(rest_, is_part) - rest_.begin()));
  tokens_.push_back({.kind = Kind::kNumber});
}

void SqlTokens::take_sign() {
  static constexpr std::array<std::string_view, 9> kLong{
      "->>", "->", "||", "<=", ">=", "<>", "!=", "==", "<<"};
  std::string_view sign = rest_.substr(0, 1);
  for (const std::string_view each : kLong) {
    if (rest_.starts_with(each)) {
      sign = each;
      break;
    }
  }
  tokens_.push_back({.kind = Kind::kSign, .text = std::string(sign)});
  rest_.remove_prefix(sign.size());
}

void SqlTokens::add_name(std::string_view name, bool is_call) {
  std::string text = in_lower_case(name);
  const auto known = std::ranges::find(names_, text);
  if (is_call || known == names_.end()) {
    tokens_.push_back({.kind = Kind::kWord, .text = std::move(text)});
  } else {
    const auto column = static_cast<std::size_t>(known - names_.begin());
    tokens_.push_back({.kind = Kind::kColumn, .column = column});
  }
}

}  // namespace cospot
