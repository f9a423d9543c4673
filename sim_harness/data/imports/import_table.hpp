#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// A host that a file names, with what its requests may have of it.
struct ImportedHost {
  std::string name{};
  std::string type{};
  std::string zone{};
  std::string status = "up";  ///< as in docs/hosts-format.md
  double vcpus = 0;           ///< vCPUs, whatever unit the requests count in
  double memory_mb = 0;
};

/// When everything that ran was known: from the first look at it to the last.
struct Observation {
  SimTime first{0};
  SimTime last{0};
  std::string begins{};  ///< what the first look is, such as "the first of 15 snapshots"
  std::string doubt{};   ///< why the times of the looks may be wrong; empty: they are known
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
  [[nodiscard]] virtual std::vector<ImportedHost> hosts() const { return {}; }

  /// When the file's instances were observed, where the file tells.
  [[nodiscard]] virtual std::optional<Observation> observation() const { return {}; }

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
  std::vector<std::string> json_reports{};  ///< where `start` and `stop` of what it reports may be
};

/// Opens a file, plain or gzip. CSV may be JSON with an object a line, or a list of objects.
[[nodiscard]] std::unique_ptr<ImportTable> open_table(const std::filesystem::path& file,
                                                      const TableShape& shape);

/// The pods and nodes of `kubectl get pods,nodes -A -o json`: a row for each pod. Files are
/// snapshots, in any order: each was taken at the newest time in it, as a rule the last heartbeat
/// of a node. A pod's latest snapshot counts; the next one after that is when it is known to be
/// gone.
[[nodiscard]] std::unique_ptr<ImportTable> open_kubernetes(
    std::span<const std::filesystem::path> files);

}  // namespace cospot
