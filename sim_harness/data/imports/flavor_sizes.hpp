#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/data/imports/import_table.hpp"

namespace cospot {

/// The sizes of flavors, for tables that contain only flavor names.
class FlavorSizes {
 public:
  struct Size {
    std::string vcpus;
    std::string memory_mb;
    std::string place;  ///< in the file
  };

  /// Reads `openstack flavor list --all -f json` (or `-f csv`), the API's flavors/detail, or a
  /// table with name, vcpus and memory_mb. Errors: WorkloadError, also for a name or an id of two
  /// sizes.
  explicit FlavorSizes(const std::filesystem::path& file);

  /// By name, or else by id; the other way round for an id, which may be another flavor's name.
  /// Null: unknown.
  [[nodiscard]] const Size* find(const std::string& flavor, bool is_id) const;

  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  using Sizes = std::map<std::string, Size>;
  static void add(Sizes& sizes, std::string_view flavor, const Size& size);

  std::string file_;
  Sizes names_;
  Sizes ids_;
};

/// Tells whether a table has a flavor column but no size columns.
[[nodiscard]] bool has_only_flavors(const std::vector<std::string>& columns);

/// Adds the columns flavor_vcpus and flavor_memory_mb to the table; a row with an unknown flavor
/// has a fault. `sizes` must outlive it. Errors: ConfigError if no column names a flavor.
[[nodiscard]] std::unique_ptr<ImportTable> with_flavor_sizes(std::unique_ptr<ImportTable> table,
                                                             const FlavorSizes& sizes);

}  // namespace cospot
