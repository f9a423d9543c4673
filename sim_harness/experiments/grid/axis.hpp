#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/fields.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/experiments/grid/grid.hpp"
#include "sim_harness/experiments/grid/study_file.hpp"
#include "sim_harness/experiments/results/column.hpp"
#include "sim_harness/experiments/results/experiment_record.hpp"

namespace cospot {

// The axes and other settings of a study, each declared once as a row of the study's table. The
// keys of its file, their parsing, the stored configuration, the columns and the grid all follow
// from the rows.

// A value of an axis in results, texts and files; and as JSON in the stored configuration, as a
// study file has it. Each type used on an axis has an overload of both next to it.
template <std::integral T>
[[nodiscard]] AxisValue axis_value(T value) {
  const std::string text = std::to_string(value);
  return {static_cast<std::int64_t>(value), text, text};
}
[[nodiscard]] AxisValue axis_value(double value);
[[nodiscard]] AxisValue axis_value(bool value);  ///< `on` or `off`
[[nodiscard]] AxisValue axis_value(const std::string& value);
template <std::integral T>
[[nodiscard]] Json setting_json(T value) {
  return value;
}
[[nodiscard]] inline Json setting_json(double value) { return json_of(value); }
[[nodiscard]] inline Json setting_json(const std::string& value) { return value; }

/// The column type for such values; other types overload this.
template <class T>
constexpr ColumnType axis_type(const T* /*tag*/) {
  if constexpr (std::same_as<T, bool>) return ColumnType::kBoolean;
  if constexpr (std::integral<T>) return ColumnType::kInteger;
  if constexpr (std::floating_point<T>) return ColumnType::kNumber;
  return ColumnType::kText;
}

/// An axis of a study. `Settings` holds its values; those present before a file is read are the
/// default, and without any the key is required.
template <class Settings, class T>
struct Axis {
  std::string name;  ///< of the column
  std::string unit{};
  std::string meaning{};
  std::vector<T> Settings::*values;
  /// Reads one value; values must be distinct.
  std::function<T(const ConfigNode& item, std::string_view key)> read{};
  /// Reads all values, if they cannot be read one by one.
  std::function<std::vector<T>(const StudyFile& file, const Settings& before)> read_all{};
  std::vector<std::string_view> keys{};  ///< in the file; none: the column's name
  std::vector<RenamedKey> renamed{};
  bool may_be_null = false;
  /// The key that a file uses, if there are several.
  std::function<std::string(const Settings&)> key_of{};
};

/// A setting of a study file that is not an axis.
template <class Settings>
struct Setting {
  std::vector<std::string_view> keys;
  std::function<void(const StudyFile& file, Settings& settings)> read;
  std::function<void(const Settings& settings, Json& configuration)> write;
  std::vector<RenamedKey> renamed{};
};

/// Keys of the file itself that fill the settings, or a member of them.
template <class Settings, class Owner, class Member = std::identity>
[[nodiscard]] Setting<Settings> setting_of(const Fields<Owner>& fields, Member member = {}) {
  return {.keys = fields.keys(),
          .read =
              [fields, member](const StudyFile& file, Settings& settings) {
                fields.read(file.root, "study", std::invoke(member, settings));
              },
          .write =
              [fields, member](const Settings& settings, Json& configuration) {
                fields.write(std::invoke(member, settings), configuration);
              }};
}

/// An axis or another setting, with its type erased.
template <class Settings>
class SettingRow {
 public:
  template <class Owner, class T>
  requires std::derived_from<Settings, Owner> SettingRow(
      const Axis<Owner, T>& axis)  // NOLINT: a row of a table
      : keys_(axis.keys), renamed_(axis.renamed), column_(column_of(axis)) {
    // The axis' name lives as long as its table: until the program ends.
    if (keys_.empty()) keys_.push_back(axis.name);
    read_ = [&axis, key = keys_.front()](const StudyFile& file, Settings& settings,
                                         const std::string& subject) {
      std::vector<T>& values = settings.*axis.values;
      if (axis.read_all) {
        values = axis.read_all(file, settings);
        return;
      }
      if constexpr (std::equality_comparable<T>) {
        if (!values.empty() && file.root.find(key) == nullptr) return;
        values = read_distinct(require_key(file.root, subject, key), key,
                               [&](const ConfigNode& item) { return axis.read(item, key); });
      }
    };
    const auto key_in = [&axis, key = keys_.front()](const Settings& settings) {
      return axis.key_of ? axis.key_of(settings) : std::string(key);
    };
    write_ = [&axis, key_in](const Settings& settings, Json& configuration) {
      Json& list = configuration[key_in(settings)] = Json::array();
      for (const T& value : settings.*axis.values) list.push_back(setting_json(value));
    };
    grid_ = [&axis, key_in](const Settings& settings) {
      GridAxis made{axis.name, key_in(settings), {}};
      for (const T& value : settings.*axis.values) made.values.push_back(axis_value(value));
      return made;
    };
  }

  [[nodiscard]] const std::vector<std::string_view>& keys() const { return keys_; }

  template <class Owner>
  requires std::derived_from<Settings, Owner> SettingRow(
      const Setting<Owner>& setting)  // NOLINT: a row of a table
      : keys_(setting.keys),
        renamed_(setting.renamed),
        read_([read = setting.read](const StudyFile& file, Settings& settings, const std::string&) {
          read(file, settings);
        }),
        write_(setting.write) {}

  /// A row of a study that is extended by another one.
  template <class Base>
  requires(std::derived_from<Settings, Base> && !std::same_as<Settings, Base>)
      SettingRow(const SettingRow<Base>& row)  // NOLINT: a row of a table
      : keys_(row.keys_),
        renamed_(row.renamed_),
        column_(row.column_),
        read_(row.read_),
        write_(row.write_),
        grid_(row.grid_) {}

 private:
  template <class Other>
  friend class SettingRow;
  template <class Other>
  friend class SettingTable;

  template <class Owner, class T>
  static Column column_of(const Axis<Owner, T>& axis) {
    return {.name = axis.name,
            .role = ColumnRole::kAxis,
            .type = axis_type(static_cast<const T*>(nullptr)),
            .unit = axis.unit,
            .meaning = axis.meaning,
            .may_be_null = axis.may_be_null};
  }

  std::vector<std::string_view> keys_;
  std::vector<RenamedKey> renamed_;
  std::optional<Column> column_;
  std::function<void(const StudyFile&, Settings&, const std::string&)> read_;
  std::function<void(const Settings&, Json&)> write_;
  std::function<GridAxis(const Settings&)> grid_;
};

template <class Settings>
class GridPoint;

/// Everything that a study's file may contain. The axes are in the order of the grid, slowest
/// first.
template <class Settings>
class SettingTable {
 public:
  /// Args: subject: describes the file in errors: `sweep`, `study levels`.
  SettingTable(std::string subject, std::vector<SettingRow<Settings>> rows)
      : subject_(std::move(subject)), rows_(std::move(rows)) {}

  /// Adds rows, possibly of a study that this one extends.
  template <class Base>
  void add(std::span<const SettingRow<Base>> rows) {
    for (const SettingRow<Base>& row : rows) rows_.emplace_back(row);
  }

  [[nodiscard]] std::span<const SettingRow<Settings>> rows() const { return rows_; }

  /// Declares rows whose keys the file does not have, so that errors can name them.
  void name_others(std::span<const SettingRow<Settings>> rows) {
    others_.push_back(rows.front().keys_.front());
    for (const auto& row : rows) {
      renamed_others_.insert(renamed_others_.end(), row.renamed_.begin(), row.renamed_.end());
    }
  }

  /// Reads a file into `settings`, which hold the defaults. Errors: ConfigError, InputError.
  [[nodiscard]] Settings read(const StudyFile& file, Settings settings = {}) const {
    std::vector<std::string_view> keys{"study", "prices"};
    std::vector<RenamedKey> renamed;
    for (const auto& row : rows_) {
      keys.insert(keys.end(), row.keys_.begin(), row.keys_.end());
      renamed.insert(renamed.end(), row.renamed_.begin(), row.renamed_.end());
    }
    keys.insert(keys.end(), others_.begin(), others_.end());
    renamed.insert(renamed.end(), renamed_others_.begin(), renamed_others_.end());
    require_known_keys(file.root, subject_, keys, renamed);
    for (const auto& row : rows_) row.read_(file, settings, subject_);
    return settings;
  }

  /// With all defaults written out and keys in a fixed order: equivalent files give the same text.
  [[nodiscard]] Json json(const Settings& settings) const {
    Json configuration = Json::object();
    for (const auto& row : rows_) row.write_(settings, configuration);
    return configuration;
  }

  [[nodiscard]] std::vector<Column> columns() const {
    std::vector<Column> columns;
    for (const auto& row : rows_) {
      if (row.column_) columns.push_back(*row.column_);
    }
    return columns;
  }

  [[nodiscard]] std::vector<GridAxis> axes(const Settings& settings) const {
    std::vector<GridAxis> axes;
    for (const auto& row : rows_) {
      if (row.grid_) axes.push_back(row.grid_(settings));
    }
    return axes;
  }

  /// The index of an axis among the axes.
  [[nodiscard]] std::size_t position(std::string_view axis) const {
    const std::vector<std::string> names = axis_names();
    const auto found = std::ranges::find(names, axis);
    if (found == names.end()) throw std::logic_error("the study has no axis " + std::string(axis));
    return static_cast<std::size_t>(found - names.begin());
  }

  [[nodiscard]] std::vector<std::string> axis_names() const {
    std::vector<std::string> names;
    for (const auto& row : rows_) {
      if (row.column_) names.push_back(row.column_->name);
    }
    return names;
  }

  /// The settings outlive the result.
  [[nodiscard]] GridPoint<Settings> at(const Settings& settings, Coordinates coordinates) const {
    return {axis_names(), settings, std::move(coordinates)};
  }

 private:
  std::string subject_;
  std::vector<SettingRow<Settings>> rows_;
  std::vector<std::string_view> others_;
  std::vector<RenamedKey> renamed_others_;
};

/// A run of the grid: a value for each axis.
template <class Settings>
class GridPoint {
 public:
  GridPoint(std::vector<std::string> axes, const Settings& settings, Coordinates at)
      : axes_(std::move(axes)), settings_(&settings), at_(std::move(at)) {}

  /// A point of a study that extends this one.
  template <class Derived>
  requires(std::derived_from<Derived, Settings> && !std::same_as<Derived, Settings>)
      GridPoint(const GridPoint<Derived>& of)  // NOLINT: a point of both
      : axes_(of.axes_), settings_(of.settings_), at_(of.at_) {}

  [[nodiscard]] const Settings& settings() const { return *settings_; }

  /// For an axis that the table does not have: its first value, the default.
  template <class Owner, class T>
  [[nodiscard]] typename std::vector<T>::const_reference get(const Axis<Owner, T>& axis) const {
    static const std::vector<T> nothing(1);
    const std::vector<T>& values = (*settings_).*axis.values;
    return values.empty() ? nothing.front() : values[index(axis)];
  }

  /// The index of its value.
  template <class Owner, class T>
  [[nodiscard]] std::size_t index(const Axis<Owner, T>& axis) const {
    const auto found = std::ranges::find(axes_, axis.name);
    return found == axes_.end() ? 0 : at_[static_cast<std::size_t>(found - axes_.begin())];
  }

 private:
  template <class Other>
  friend class GridPoint;

  std::vector<std::string> axes_;
  const Settings* settings_;
  Coordinates at_;
};

/// The names of axes, for Experiment::group_by.
template <class... Axes>
[[nodiscard]] std::vector<std::string> axis_names(const Axes&... axes) {
  return {axes.name...};
}

}  // namespace cospot
