#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim_harness/data/imports/import_table.hpp"

namespace cospot {

/// The sizes of flavors, for tables that contain only flavor names.
class FlavorSizes {
 public:
  struct Size {
    std::string vcpus;
    std::string memory_mb;
  };

  /// Reads `openstack flavor list --all -f json` (or `-f csv`), or a table with name, vcpus and
  /// memory_mb. Errors: WorkloadError.
  explicit FlavorSizes(const std::filesystem::path& file);

  /// By name or id. Null: unknown.
  [[nodiscard]] const Size* find(const std::string& flavor) const;

  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::map<std::string, Size> sizes_;
};

/// Tells whether a table has a flavor column but no size columns.
[[nodiscard]] bool has_only_flavors(const std::vector<std::string>& columns);

/// Adds the columns flavor_vcpus and flavor_memory_mb to the table; a row with an unknown flavor
/// has a fault. `sizes` must outlive it. Errors: ConfigError if no column names a flavor.
[[nodiscard]] std::unique_ptr<ImportTable> with_flavor_sizes(std::unique_ptr<ImportTable> table,
                                                             const FlavorSizes& sizes);

}  // namespace cospot
