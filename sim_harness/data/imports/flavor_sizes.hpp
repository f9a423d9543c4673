#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim_harness/data/imports/import_table.hpp"

namespace cospot {

/// What flavors are, for tables that have only their names.
class FlavorSizes {
 public:
  struct Size {
    std::string vcpus;
    std::string memory_mb;
  };

  /// Reads `openstack flavor list --all -f json` (or `-f csv`), or a table with name, vcpus and
  /// memory_mb. Errors: WorkloadError.
  explicit FlavorSizes(const std::filesystem::path& file);

  /// Of a name or an id. Null: there is none.
  [[nodiscard]] const Size* find(const std::string& flavor) const;

  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::map<std::string, Size> sizes_;
};

/// Tells whether a table has a column of flavors and none of sizes.
[[nodiscard]] bool has_only_flavors(const std::vector<std::string>& columns);

/// The table with the columns flavor_vcpus and flavor_memory_mb; a row whose flavor is not among
/// the sizes has a fault. `sizes` must live as long. Errors: ConfigError when no column names a
/// flavor.
[[nodiscard]] std::unique_ptr<ImportTable> with_flavor_sizes(std::unique_ptr<ImportTable> table,
                                                             const FlavorSizes& sizes);

}  // namespace cospot
