#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim_harness/experiments/results/column.hpp"

namespace cospot {

/// A column and the function that computes it from a `Result`: the single declaration of a study's
/// measure. Everything else (SQL, CSV, Python, the report, the docs) follows from it.
template <class Result>
struct Measure {
  Column column;
  std::function<Value(const Result&)> read;
  std::function<void(Result&, const Value&)> write{};  ///< of a member; none: computed from others
};

// The stored type of a measure.
template <class T>
constexpr ColumnType stored_type() {
  if constexpr (std::same_as<T, Revenue>) return ColumnType::kRevenue;
  if constexpr (std::same_as<T, bool>) return ColumnType::kBoolean;
  if constexpr (std::integral<T>) return ColumnType::kInteger;
  if constexpr (std::same_as<T, std::string>) return ColumnType::kText;
  return ColumnType::kNumber;
}
template <class T>
[[nodiscard]] Value stored_value(const T& value) {
  if constexpr (std::same_as<T, std::optional<double>>) {
    return value ? Value(*value) : Value();
  } else if constexpr (std::integral<T> && !std::same_as<T, Revenue>) {
    // SQLite's integers are signed; every count of a run is far below 2^63.
    return static_cast<std::int64_t>(value);
  } else {
    return value;
  }
}

template <class T>
[[nodiscard]] T restored_value(const Value& value) {
  if constexpr (std::integral<T> && !std::same_as<T, Revenue>) {
    return static_cast<T>(std::get<std::int64_t>(value));
  } else {
    return std::get<T>(value);
  }
}

/// A measure with the value of `get`, a function or a member. `column` states its name, unit and
/// meaning; its type follows from `get`.
template <class Result, class Get>
[[nodiscard]] Measure<Result> measure(Column column, Get get) {
  using Read = std::remove_cvref_t<std::invoke_result_t<Get, const Result&>>;
  column.type = stored_type<Read>();
  Measure<Result> made{std::move(column), [get](const Result& result) {
                         return stored_value(std::invoke(get, result));
                       }};
  if constexpr (std::is_member_object_pointer_v<Get> &&
                !std::same_as<Read, std::optional<double>>) {
    made.write = [get](Result& result, const Value& value) {
      result.*get = restored_value<Read>(value);
    };
  }
  return made;
}

template <class Result, class T>
Result owner_of(T Result::*member);

/// The measure of a member, such as `&RunResult::hosts`.
template <auto kMember>
[[nodiscard]] auto measure(Column column) {
  return measure<decltype(owner_of(kMember))>(std::move(column), kMember);
}

/// The measures of a part of a result, such as `&LifeResult::run`.
template <auto kPart, class Part>
[[nodiscard]] auto measures_of(const std::vector<Measure<Part>>& measures) {
  using Result = decltype(owner_of(kPart));
  std::vector<Measure<Result>> all;
  for (const Measure<Part>& one : measures) {
    all.push_back(
        {one.column, [read = one.read](const Result& result) { return read(result.*kPart); }, {}});
  }
  return all;
}

template <class Result>
void append(std::vector<Measure<Result>>& all, const std::vector<Measure<Result>>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

template <class Result>
[[nodiscard]] std::vector<Column> columns_of(std::span<const Measure<Result>> measures) {
  std::vector<Column> columns;
  for (const Measure<Result>& one : measures) columns.push_back(one.column);
  return columns;
}

template <class Result>
[[nodiscard]] std::vector<Value> values_of(std::span<const Measure<Result>> measures,
                                           const Result& result) {
  std::vector<Value> values;
  values.reserve(measures.size());
  for (const Measure<Result>& one : measures) values.push_back(one.read(result));
  return values;
}

}  // namespace cospot
