#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim_harness/results/column.hpp"

namespace cospot {

/// A column and what of `Result` is in it: the one place where a measure of a study is
/// declared. Everything else (SQL, CSV, Python, the report, the docs) follows from it.
template <class Result>
struct Measure {
  Column column;
  Value (*read)(const Result&);
  void (*write)(Result&, const Value&);
};

// How a member's type is stored, and back.
template <class T>
struct MemberType;

template <std::integral T>
struct MemberType<T> {
  static constexpr ColumnType kType =
      std::same_as<T, bool> ? ColumnType::kBoolean : ColumnType::kInteger;
  /// SQLite's integers are signed; every count of a run is far below 2^63.
  static Value to_value(T member) { return static_cast<std::int64_t>(member); }
  static T from_value(const Value& value) { return static_cast<T>(std::get<std::int64_t>(value)); }
};

template <>
struct MemberType<double> {
  static constexpr ColumnType kType = ColumnType::kNumber;
  static Value to_value(double member) { return member; }
  static double from_value(const Value& value) { return std::get<double>(value); }
};

template <>
struct MemberType<std::optional<double>> {
  static constexpr ColumnType kType = ColumnType::kNumber;
  static Value to_value(const std::optional<double>& member) {
    return member ? Value(*member) : Value();
  }
  static std::optional<double> from_value(const Value& value) {
    const double* number = std::get_if<double>(&value);
    return number == nullptr ? std::nullopt : std::optional(*number);
  }
};

template <>
struct MemberType<std::string> {
  static constexpr ColumnType kType = ColumnType::kText;
  static Value to_value(const std::string& member) { return member; }
  static std::string from_value(const Value& value) { return std::get<std::string>(value); }
};

template <class T>
requires std::same_as<T, Revenue>  // not std::integral everywhere
struct MemberType<T> {
  static constexpr ColumnType kType = ColumnType::kRevenue;
  static Value to_value(const Revenue& member) { return member; }
  static Revenue from_value(const Value& value) { return std::get<Revenue>(value); }
};

template <class Result, class T>
Result owner_of(T Result::*member);
template <class Result, class T>
T type_of(T Result::*member);

/// The measure that `kMember` (such as `&RunResult::hosts`) holds. `column` says its name, unit and
/// meaning; its type follows from the member's.
template <auto kMember>
auto measure(Column column) {
  using Result = decltype(owner_of(kMember));
  using Type = MemberType<decltype(type_of(kMember))>;
  column.type = Type::kType;
  return Measure<Result>{
      std::move(column), [](const Result& result) { return Type::to_value(result.*kMember); },
      [](Result& result, const Value& value) { result.*kMember = Type::from_value(value); }};
}

/// The measure that `get`, a lambda without captures, takes of a result. It is not read back.
template <class Result, class Get>
[[nodiscard]] Measure<Result> measure(Column column, Get /*get*/) {
  using Type = MemberType<std::remove_cvref_t<std::invoke_result_t<Get, const Result&>>>;
  column.type = Type::kType;
  return {std::move(column), [](const Result& result) { return Type::to_value(Get{}(result)); },
          [](Result&, const Value&) {}};
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

/// Back from the values of `measures`, in their order.
template <class Result>
[[nodiscard]] Result result_of(std::span<const Measure<Result>> measures,
                               std::span<const Value> values) {
  Result result;
  for (std::size_t i = 0; i < measures.size(); ++i) measures[i].write(result, values[i]);
  return result;
}

}  // namespace cospot
