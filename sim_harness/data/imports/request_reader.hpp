#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/data/imports/import_faults.hpp"
#include "sim_harness/data/imports/import_plan.hpp"
#include "sim_harness/data/imports/import_table.hpp"
#include "sim_harness/data/imports/row_values.hpp"
#include "sim_harness/data/workloads/placement_fields.hpp"
#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// The role of a row.
enum class RowRole : std::uint8_t {
  kLeftOut,
  kOver,    ///< its state says that it holds nothing any more, but not since when
  kResize,  ///< changes the size of an instance
  kRequest,
  kStart,
  kEnd,
  kFault
};

/// Reads the rows of one table as requests. Times are those of the file.
///
/// Errors: ConfigError for columns that do not allow this.
class RequestReader {
 public:
  /// `placements` collects the placement requirements of requests.
  RequestReader(const ImportPlan& plan, const ImportTable& table,
                PlacementFieldsReader& placements);

  /// Fills the members of `request` that the row's role needs: for an end, id and its time as
  /// `start`.
  [[nodiscard]] RowRole read(const ImportTable& table);

  [[nodiscard]] WorkloadRow& request() { return request_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const RowFault& fault() const { return fault_; }
  [[nodiscard]] const std::string& fault_kind() const { return kind_; }

 private:
  /// A column, or an expression over columns.
  struct Source {
    std::optional<std::size_t> column{};
    std::optional<std::size_t> expression{};
    std::string_view option{};  ///< its place, for errors
    [[nodiscard]] bool is_given() const { return column || expression; }
  };

  Source find(const PlannedExpression& planned, bool is_required);
  /// The candidate, if the columns allow it; else `reason` says why not.
  std::optional<Source> use(const PlannedExpression& planned, const std::string& candidate,
                            std::string& reason);
  [[nodiscard]] const Source& source(ImportTarget target) const {
    return sources_[static_cast<std::size_t>(target)];
  }

  /// The truth of a condition for the row; none if it is neither true nor false: a fault of the
  /// row.
  [[nodiscard]] std::optional<bool> holds(const Source& source);

  /// False if a column that the source uses as a number is not one: a fault of the row.
  [[nodiscard]] bool has_numbers(const Source& source);
  [[nodiscard]] std::string text_of(const Source& source) const;
  bool refuse(ImportTarget target, std::string_view expected);
  /// True if the row's own state says that it is over while its end is unknown.
  [[nodiscard]] bool is_over();
  RowRole read_event();
  bool read_request();
  bool read_names();
  bool read_amount(ImportTarget target, ResourceAmount least, ResourceAmount& amount);
  bool read_start();
  bool read_end();
  bool read_count();
  bool read_placement();

  const ImportPlan* plan_;
  const std::vector<std::string>* columns_;
  PlacementFieldsReader* placements_;
  RowExpressions expressions_;
  std::array<Source, kImportTargets> sources_{};
  Source spot_if_;
  Source only_;
  Source start_when_;
  Source end_when_;
  Source resize_when_;
  std::vector<Source> over_if_;
  WorkloadRow request_;
  std::uint64_t rows_ = 0;
  std::uint64_t count_ = 1;
  RowFault fault_;
  std::string kind_;
};

}  // namespace cospot
