#include "sim_harness/data/imports/flavor_sizes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "core/lower_case.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {
namespace {

/// The names of a server's flavor in the clients and the API of several years.
constexpr std::array<std::string_view, 8> kFlavorColumns{
    "Flavor Name", "Flavor",    "flavor_name", "flavor.original_name",
    "flavor",      "Flavor ID", "flavor_id",   "flavor.id"};
constexpr std::array<std::string_view, 2> kNameColumns{"Name", "name"};
constexpr std::array<std::string_view, 2> kIdColumns{"ID", "id"};
constexpr std::array<std::string_view, 3> kVcpusColumns{"VCPUs", "vcpus", "flavor.vcpus"};
constexpr std::array<std::string_view, 3> kMemoryColumns{"RAM", "ram", "memory_mb"};

/// The first of `names` that a table has.
std::optional<std::size_t> find_column(const std::vector<std::string>& columns,
                                       std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(columns, name);
    if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  }
  return std::nullopt;
}

std::size_t require_column(const ImportTable& table, const std::string& file,
                           std::span<const std::string_view> names) {
  if (const auto column = find_column(table.columns(), names)) return *column;
  throw WorkloadError(fmt::format(
      "{}: there is no column {}, expected `openstack flavor list --all -f json`; the columns are "
      "{}",
      file, fmt::join(names, " or "), fmt::join(table.columns(), ", ")));
}

class FlavoredTable final : public ImportTable {
 public:
  FlavoredTable(std::unique_ptr<ImportTable> table, const FlavorSizes& sizes)
      : table_(std::move(table)), sizes_(&sizes) {
    columns_ = table_->columns();
    has_null_texts_ = table_->has_null_texts();
    const auto column = find_column(columns_, kFlavorColumns);
    if (!column) {
      throw ConfigError(fmt::format(
          "--flavors: no column names a flavor, expected one of: {}; the columns are {}",
          fmt::join(kFlavorColumns, ", "), fmt::join(columns_, ", ")));
    }
    column_ = *column;
    is_id_ = in_lower_case(columns_[column_]).ends_with("id");
    columns_.insert(columns_.end(), {"flavor_vcpus", "flavor_memory_mb"});
  }

  [[nodiscard]] bool next() override {
    if (!table_->next()) return false;
    fault_ = table_->fault();
    fault_kind_ = table_->fault_kind();
    if (!fault_.empty()) return true;
    fields_.assign(table_->fields().begin(), table_->fields().end());
    const std::string_view flavor = fields_[column_];
    const FlavorSizes::Size* size = sizes_->find(std::string(flavor), is_id_);
    if (size == nullptr) {
      fault_ = fmt::format("the flavor {} is not in {}", quoted_excerpt(flavor), sizes_->file());
      fault_kind_ = "rows whose flavor is not in " + sizes_->file();
      return true;
    }
    fields_.insert(fields_.end(), {size->vcpus, size->memory_mb});
    return true;
  }
  [[nodiscard]] std::string place() const override { return table_->place(); }
  [[nodiscard]] std::string next_page() const override { return table_->next_page(); }

 private:
  std::unique_ptr<ImportTable> table_;
  const FlavorSizes* sizes_;
  std::size_t column_ = 0;
  bool is_id_ = false;  ///< the column has ids, not names
};

}  // namespace

FlavorSizes::FlavorSizes(const std::filesystem::path& file) : file_(file.string()) {
  TableShape shape{};
  shape.json_paths = {"$.flavors", "$"};
  const std::unique_ptr<ImportTable> table = open_table(file, shape);
  const std::size_t name = require_column(*table, file_, kNameColumns);
  const std::size_t vcpus = require_column(*table, file_, kVcpusColumns);
  const std::size_t memory = require_column(*table, file_, kMemoryColumns);
  const std::optional<std::size_t> id = find_column(table->columns(), kIdColumns);
  while (table->next()) {
    if (!table->fault().empty()) {
      throw WorkloadError(fmt::format("{}: {}", table->place(), table->fault()));
    }
    const std::span<const std::string_view> fields = table->fields();
    const Size size{std::string(fields[vcpus]), std::string(fields[memory]), table->place()};
    add(names_, fields[name], size);
    if (id) add(ids_, fields[*id], size);
  }
}

void FlavorSizes::add(Sizes& sizes, std::string_view flavor, const Size& size) {
  const auto [known, is_new] = sizes.try_emplace(std::string(flavor), size);
  const Size& before = known->second;
  if (before.vcpus == size.vcpus && before.memory_mb == size.memory_mb) return;
  throw WorkloadError(fmt::format(
      "{}: the flavor {} has {} vCPUs and {} MiB, but {} and {} at {}, expected one of the two",
      size.place, quoted_excerpt(flavor), size.vcpus, size.memory_mb, before.vcpus,
      before.memory_mb, before.place));
}

const FlavorSizes::Size* FlavorSizes::find(const std::string& flavor, bool is_id) const {
  const Sizes& first = is_id ? ids_ : names_;
  const Sizes& second = is_id ? names_ : ids_;
  if (const auto found = first.find(flavor); found != first.end()) return &found->second;
  const auto found = second.find(flavor);
  return found == second.end() ? nullptr : &found->second;
}

bool has_only_flavors(const std::vector<std::string>& columns) {
  return find_column(columns, kFlavorColumns) && !find_column(columns, kVcpusColumns);
}

std::unique_ptr<ImportTable> with_flavor_sizes(std::unique_ptr<ImportTable> table,
                                               const FlavorSizes& sizes) {
  return std::make_unique<FlavoredTable>(std::move(table), sizes);
}

}  // namespace cospot
