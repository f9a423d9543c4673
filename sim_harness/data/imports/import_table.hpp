#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// A host named in a file, with the capacity available to requests.
struct ImportedHost {
  std::string name{};
  std::string type{};
  std::string zone{};
  std::string status = "up";  ///< as in docs/hosts-format.md
  double vcpus = 0;           ///< in vCPUs, whatever unit the requests use
  double memory_mb = 0;
};

/// The time in which all running instances were observed: from the first snapshot to the last.
struct Observation {
  SimTime first{0};
  SimTime last{0};
  std::string begins{};  ///< what the first look is, such as "the first of 15 snapshots"
  std::string doubt{};   ///< why the snapshot times may be wrong; empty: they are known
};

/// A file as a sequence of rows with named columns.
///
/// Errors: WorkloadError if the file cannot be read. A fault in one row is reported by fault().
class ImportTable {
 public:
  virtual ~ImportTable() = default;

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }

  /// Advances to the next row. False at the end.
  [[nodiscard]] virtual bool next() = 0;

  /// The row's fields, one per column, valid until next(). Empty: no value.
  [[nodiscard]] std::span<const std::string_view> fields() const { return fields_; }

  /// The row's fault; empty: none. With a fault the fields are meaningless.
  [[nodiscard]] const std::string& fault() const { return fault_; }

  /// The common name for faults of this kind.
  [[nodiscard]] const std::string& fault_kind() const { return fault_kind_; }

  /// The row's place, for errors: `file:line`.
  [[nodiscard]] virtual std::string place() const = 0;

  /// The hosts, if the file contains them.
  [[nodiscard]] virtual std::vector<ImportedHost> hosts() const { return {}; }

  /// The time at which the file's instances were observed, if the file states it.
  [[nodiscard]] virtual std::optional<Observation> observation() const { return {}; }

  // Known once all rows are read:

  /// The number of lines that are parts of other rows, and no rows themselves.
  [[nodiscard]] virtual std::uint64_t parts_of_rows() const { return 0; }

  /// The time until which the file has all that starts; nothing: not stated.
  [[nodiscard]] virtual std::optional<SimTime> starts_known_until() const { return {}; }

  /// The member of the file that links to a next page of an API's answer; empty: none.
  [[nodiscard]] virtual std::string next_page() const { return {}; }

  /// Tells whether a field such as NULL or None may stand for no value.
  [[nodiscard]] bool has_null_texts() const { return has_null_texts_; }

 protected:
  std::vector<std::string> columns_;
  std::vector<std::string_view> fields_;
  std::string fault_;
  std::string fault_kind_ = "rows that cannot be split into columns";
  bool has_null_texts_ = false;
};

/// Describes how to find the rows of a file.
struct TableShape {
  enum class Kind : unsigned char { kCsv, kSwf, kJson, kKubernetes };

  Kind kind = Kind::kCsv;
  bool has_header = true;              ///< CSV: the first line names the columns
  std::vector<std::string> columns{};  ///< otherwise their names
  /// JSON: members, `a.b` for nested ones; none: those of the first objects.
  std::vector<std::string> json_columns{};
  char separator = ',';                   ///< CSV
  std::vector<std::string> json_paths{};  ///< possible paths of the row list in a JSON document
  /// possible paths of the reported period's `start` and `stop`
  std::vector<std::string> json_reports{};
  std::vector<std::string> json_pages{};  ///< members that may link to the next page
};

/// SQLite takes no more than 2,000, and some are added.
inline constexpr std::size_t kMostColumns = 1900;

/// Opens a file, plain or gzip. A CSV may also be JSON with one object per line, or a list of
/// objects.
[[nodiscard]] std::unique_ptr<ImportTable> open_table(const std::filesystem::path& file,
                                                      const TableShape& shape);

/// The pods and nodes of `kubectl get pods,nodes -A -o json`: one row per pod. Files are snapshots
/// in any order. The time of a snapshot is the newest time in it, usually a node's last heartbeat.
/// A pod's latest snapshot counts; a pod missing from a later snapshot with pods is taken to have
/// ended before it. A pod that failed or succeeded without a time ended before the first snapshot
/// that shows it so; if that is the first of all, its end is unknown.
[[nodiscard]] std::unique_ptr<ImportTable> open_kubernetes(
    std::span<const std::filesystem::path> files);

}  // namespace cospot
