#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// A key of a mapping and the member that holds its value: one row for reading, range and JSON.
template <class Owner>
struct Field {
  std::string_view key;
  /// `name` is the key for errors.
  std::function<void(const ConfigNode& value, std::string_view name, Owner& owner)> read;
  std::function<std::optional<Json>(const Owner& owner)> write;  ///< nothing: left out
  bool is_required = false;
};

/// The type of a member's value, and of its bounds.
template <class T>
struct FieldType {
  using Type = T;
  using Bound = std::conditional_t<std::floating_point<T>, double, std::int64_t>;
};
template <class T>
struct FieldType<std::optional<T>> : FieldType<T> {};

/// A number in [least, most], a whole one if the member is.
template <class Owner, class T>
[[nodiscard]] Field<Owner> number_field(std::string_view key, T Owner::*member,
                                        typename FieldType<T>::Bound least,
                                        typename FieldType<T>::Bound most) {
  using Number = typename FieldType<T>::Type;
  constexpr bool kIsReal = std::floating_point<Number>;
  constexpr bool kIsOptional = !std::same_as<T, Number>;
  return {.key = key,
          .read =
              [=](const ConfigNode& value, std::string_view name, Owner& owner) {
                if constexpr (kIsReal) owner.*member = read_number(value, name, least, most);
                if constexpr (!kIsReal) {
                  owner.*member = static_cast<Number>(read_integer(value, name, least, most));
                }
              },
          .write = [member](const Owner& owner) -> std::optional<Json> {
            if constexpr (kIsOptional) {
              if (!(owner.*member)) return std::nullopt;
            }
            const std::optional<Number> value = owner.*member;
            if constexpr (kIsReal) return json_of(value);
            return Json(*value);
          }};
}

/// A percentage in [least, most] of a member that holds the fraction.
template <class Owner>
[[nodiscard]] Field<Owner> percent_field(std::string_view key, double Owner::*fraction,
                                         double least, double most) {
  return {
      .key = key,
      .read = [=](const ConfigNode& value, std::string_view name,
                  Owner& owner) { owner.*fraction = read_number(value, name, least, most) / 100; },
      .write = [fraction](const Owner& owner) { return json_of(owner.*fraction * 100); }};
}

template <class Owner>
[[nodiscard]] Field<Owner> flag_field(std::string_view key, bool Owner::*member) {
  return {.key = key,
          .read = [member](const ConfigNode& value, std::string_view name,
                           Owner& owner) { owner.*member = read_bool(value, name); },
          .write = [member](const Owner& owner) { return Json(owner.*member); }};
}

/// One of some names, each of which stands for a value.
template <class Owner, class T>
[[nodiscard]] Field<Owner> choice_field(std::string_view key, T Owner::*member,
                                        std::vector<std::string> names,
                                        std::vector<std::type_identity_t<T>> values) {
  return {.key = key,
          .read =
              [=](const ConfigNode& value, std::string_view name, Owner& owner) {
                const std::string found = read_name(value, name, names);
                for (std::size_t i = 0; i < names.size(); ++i) {
                  if (names[i] == found) owner.*member = values[i];
                }
              },
          .write = [=](const Owner& owner) -> std::optional<Json> {
            for (std::size_t i = 0; i < names.size(); ++i) {
              if (owner.*member == values[i]) return Json(names[i]);
            }
            return std::nullopt;
          }};
}

template <class Owner>
[[nodiscard]] Field<Owner> required(Field<Owner> field) {
  field.is_required = true;
  return field;
}

/// A field of a member, as one of the member's owner.
template <class Owner, class Member>
[[nodiscard]] Field<Owner> within(Member Owner::*member, const Field<Member>& field) {
  return {
      .key = field.key,
      .read = [member, read = field.read](const ConfigNode& value, std::string_view name,
                                          Owner& owner) { read(value, name, owner.*member); },
      .write = [member, write = field.write](const Owner& owner) { return write(owner.*member); },
      .is_required = field.is_required};
}

/// The fields of a mapping, in the order in which they are written.
template <class Owner>
class Fields {
 public:
  Fields(std::initializer_list<Field<Owner>> rows) : rows_(rows) {}

  /// The keys, between others.
  [[nodiscard]] std::vector<std::string_view> keys(
      std::vector<std::string_view> before = {},
      std::initializer_list<std::string_view> after = {}) const {
    for (const Field<Owner>& row : rows_) before.push_back(row.key);
    before.insert(before.end(), after);
    return before;
  }

  /// Sets the members whose keys are there. `subject` is what lacks a required key; errors name a
  /// key behind `prefix`. Errors: ConfigError.
  void read(const ConfigNode& mapping, std::string_view subject, Owner& owner,
            std::string_view prefix = {}) const {
    for (const Field<Owner>& row : rows_) {
      const ConfigNode* value = mapping.find(row.key);
      if (value == nullptr && row.is_required) (void)require_key(mapping, subject, row.key);
      if (value != nullptr) row.read(*value, std::string(prefix) + std::string(row.key), owner);
    }
  }

  /// Reads a mapping with no other keys.
  [[nodiscard]] Owner read_all(const ConfigNode& mapping, std::string_view subject,
                               std::string_view prefix = {}) const {
    require_known_keys(mapping, subject, keys());
    Owner owner;
    read(mapping, subject, owner, prefix);
    return owner;
  }

  void write(const Owner& owner, Json& mapping) const {
    for (const Field<Owner>& row : rows_) {
      if (std::optional<Json> value = row.write(owner)) mapping[std::string(row.key)] = *value;
    }
  }

  [[nodiscard]] Json json(const Owner& owner) const {
    Json mapping = Json::object();
    write(owner, mapping);
    return mapping;
  }

 private:
  std::vector<Field<Owner>> rows_;
};

}  // namespace cospot
