#include "filters/extra_spec_match.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/parse_number.hpp"

namespace cospot {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::string_view kBlanks = " \t\r\n\f\v";

Words split_words(std::string_view text) {
  Words words;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;
       at = text.find_first_not_of(kBlanks)) {
    text.remove_prefix(at);
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return parse_number(text);
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The operators of numbers: `=` is Nova's old name of `>=`.
std::optional<bool> compare_numbers(std::string_view op, std::string_view a, std::string_view b) {
  static constexpr std::array<std::string_view, 5> kOperators{"=", "==", "!=", ">=", "<="};
  if (std::ranges::find(kOperators, op) == kOperators.end()) return std::nullopt;
  const std::optional<double> x = number_in(a);
  const std::optional<double> y = number_in(b);
  if (!x || !y) return false;
  if (op == "==") return *x == *y;
  if (op == "!=") return *x != *y;
  return op == "<=" ? *x <= *y : *x >= *y;
}

std::optional<bool> compare_texts(std::string_view op, std::string_view a, std::string_view b) {
  if (op == "s==") return a == b;
  if (op == "s!=") return a != b;
  if (op == "s<") return a < b;
  if (op == "s<=") return a <= b;
  if (op == "s>") return a > b;
  if (op == "s>=") return a >= b;
  if (op == "<in>") return contains(a, b);
  return std::nullopt;
}

bool is_operator(std::string_view word) {
  return word == "<all-in>" || compare_numbers(word, "", "").has_value() ||
         compare_texts(word, "", "").has_value();
}

/// `words`: v1 <or> v2 <or> v3
bool is_one_of(std::string_view value, const Words& words) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (words[i] == value) return true;
  }
  return false;
}

}  // namespace

bool matches_extra_spec(std::string_view value, std::string_view expression) {
  Words words = split_words(expression);
  if (words.empty()) return value == expression;
  const std::string_view op = words.front();
  if (op != "<or>" && !is_operator(op)) return value == expression;
  words.erase(words.begin());
  if (op == "<or>") return is_one_of(value, words);
  if (words.empty()) return false;
  if (op == "<all-in>") {
    return std::ranges::all_of(words, [&](std::string_view word) { return contains(value, word); });
  }
  if (const std::optional<bool> result = compare_numbers(op, value, words.front())) return *result;
  return compare_texts(op, value, words.front()).value_or(false);
}

bool matches_extra_specs(const AggregateMetadata& metadata,
                         std::span<const std::pair<std::string, std::string>> extra_specs) {
  constexpr std::string_view kScope = "aggregate_instance_extra_specs";
  return std::ranges::all_of(extra_specs, [&](const auto& spec) {
    std::string_view key = spec.first;
    if (const std::size_t colon = key.find(':'); colon != std::string_view::npos) {
      if (key.substr(0, colon) != kScope) return true;
      key.remove_prefix(colon + 1);
    }
    const auto values = metadata.find(key);
    if (values == metadata.end()) return false;
    return std::ranges::any_of(values->second, [&](const std::string& value) {
      return matches_extra_spec(value, spec.second);
    });
  });
}

}  // namespace cospot
