#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/resource_vector.hpp"

namespace cospot {

/// Hosts of one size that a file names beside its requests.
struct ImportedHosts {
  ResourceVector total{};  ///< in the units of the requests
  std::size_t count = 0;
};

/// A file as rows of named columns, read one after the other.
///
/// Errors: WorkloadError when the file cannot be read at all. What is wrong with one row is that
/// row's fault().
class ImportTable {
 public:
  virtual ~ImportTable() = default;

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }

  /// Goes to the next row. False: there is none.
  [[nodiscard]] virtual bool next() = 0;

  /// The row's fields, one for each column, valid until next(). Empty: no value.
  [[nodiscard]] std::span<const std::string_view> fields() const { return fields_; }

  /// What is wrong with the row as such; empty: nothing. Then the fields say nothing.
  [[nodiscard]] const std::string& fault() const { return fault_; }

  /// What rows with such a fault are called together.
  [[nodiscard]] const std::string& fault_kind() const { return fault_kind_; }

  /// Where the row stands, for errors: `file:line`.
  [[nodiscard]] virtual std::string place() const = 0;

  /// The hosts, where the file has them.
  [[nodiscard]] virtual std::vector<ImportedHosts> hosts() const { return {}; }

 protected:
  std::vector<std::string> columns_;
  std::vector<std::string_view> fields_;
  std::string fault_;
  std::string fault_kind_ = "rows that cannot be split into columns";
};

/// How the rows of a file are found.
struct TableShape {
  enum class Kind : unsigned char { kCsv, kSwf, kJson, kKubernetes };

  Kind kind = Kind::kCsv;
  bool has_header = true;                   ///< CSV: the first line names the columns
  std::vector<std::string> columns{};       ///< else these are they
  std::vector<std::string> json_columns{};  ///< JSON: members, a.b in depth; none: the first ones
  char separator = ',';                     ///< CSV
  std::vector<std::string> json_paths{};    ///< where in a JSON document the list of rows may be
};

/// Opens a file, plain or gzip. CSV may be JSON with an object a line, or a list of objects.
[[nodiscard]] std::unique_ptr<ImportTable> open_table(const std::filesystem::path& file,
                                                      const TableShape& shape);

/// The pods and nodes of `kubectl get pods,nodes -A -o json`: a row for each pod. Of several files,
/// snapshots in order of time, a pod's latest counts; one that a later snapshot lacks ended by the
/// latest time that snapshot knows.
[[nodiscard]] std::unique_ptr<ImportTable> open_kubernetes(
    std::span<const std::filesystem::path> files);

}  // namespace cospot
