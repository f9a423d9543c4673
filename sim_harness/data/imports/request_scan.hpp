#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim_harness/data/imports/import_faults.hpp"
#include "sim_harness/data/imports/import_plan.hpp"
#include "sim_harness/data/imports/request_reader.hpp"

namespace cospot {

/// One pass over all rows of an import, returning requests in the files' order of starts. Its
/// memory is about 40 bytes per request, for detecting duplicate ids; tables with events take 8
/// more, and the names of the running instances.
class RequestScan {
 public:
  /// `ends` are the ends of a table with events, in order, found by an earlier pass; none in the
  /// first pass, which returns requests without ends.
  RequestScan(const ImportPlan& plan, const std::vector<std::filesystem::path>& files,
              std::vector<SimTime> ends = {});

  /// Errors: WorkloadError, ConfigError; faults of single rows are in faults().
  void run(const std::function<void(const WorkloadRow&)>& take);

  [[nodiscard]] const ImportFaults& faults() const { return faults_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  [[nodiscard]] std::uint64_t over() const { return over_; }
  [[nodiscard]] std::uint64_t resizes() const { return resizes_; }
  [[nodiscard]] std::uint64_t parts_of_rows() const { return parts_of_rows_; }
  [[nodiscard]] std::uint64_t ends_without_start() const { return ends_without_start_; }
  [[nodiscard]] const std::vector<ImportedHost>& hosts() const { return hosts_; }

  /// The time at which the files were observed, if they state it.
  [[nodiscard]] const std::optional<Observation>& observation() const { return observation_; }

  /// The sign that instances are missing because an API lists only one page at once; empty: none.
  [[nodiscard]] std::string missing_pages() const;

  /// The placement requirements; grows during the pass.
  [[nodiscard]] const WorkloadPlacements& placements() const { return placements_.placements(); }

  /// The ends found by this pass.
  [[nodiscard]] std::vector<SimTime> take_ends() { return std::move(found_ends_); }

  // Times over all requests and events; first_start() is kNever if there are none.
  [[nodiscard]] SimTime first_start() const { return first_start_; }
  [[nodiscard]] SimTime first_end() const { return first_end_; }  ///< kNever: none
  [[nodiscard]] SimTime last_start() const { return last_start_; }
  [[nodiscard]] SimTime last_seen() const { return starts_known_until_.value_or(last_seen_); }

 private:
  using Take = std::function<void(const WorkloadRow&)>;

  /// The events of one id at one time that found nothing to end, or something running already.
  /// Rows of one time come in any order, but an end needs a start, and a start an end before it.
  struct Tie {
    std::uint64_t ends = 0;
    std::deque<WorkloadRow> starts{};
  };

  /// Adds the sizes of flavors, if given. Errors: ConfigError if they are missing.
  [[nodiscard]] std::unique_ptr<ImportTable> sized(std::unique_ptr<ImportTable> table,
                                                   const std::filesystem::path& file) const;
  void observe(const ImportTable& table, const std::filesystem::path& file);
  void scan(ImportTable& table, const std::filesystem::path& file, const Take& take);
  void add_fault(const ImportTable& table, std::string_view kind, const RowFault& fault);
  void take_request(const ImportTable& table, WorkloadRow& request, std::uint64_t count,
                    const Take& take);
  void take_start(const ImportTable& table, const WorkloadRow& request, const Take& take);
  void take_end(const ImportTable& table, const WorkloadRow& request, const Take& take);
  void begin(WorkloadRow request, const Take& take);
  void finish(const std::string& id, SimTime time);
  void give(const WorkloadRow& request, const Take& take);
  void check_order(const ImportTable& table, SimTime time);

  const ImportPlan* plan_;
  const std::vector<std::filesystem::path>* files_;
  ImportFaults faults_;
  std::uint64_t rows_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t over_ = 0;
  std::uint64_t resizes_ = 0;
  std::uint64_t parts_of_rows_ = 0;
  std::uint64_t ends_without_start_ = 0;
  SimTime first_start_ = kNever;
  SimTime first_end_ = kNever;
  SimTime last_start_ = SimTime::min();
  SimTime last_seen_ = SimTime::min();
  std::optional<SimTime> starts_known_until_;
  std::vector<ImportedHost> hosts_;
  std::optional<Observation> observation_;
  std::string next_page_;       ///< the first file with a link to a next page, and the link's name
  bool has_last_page_ = false;  ///< some file has none
  std::string full_page_;       ///< the first file of as many rows as an API lists at once
  PlacementFieldsReader placements_;

  std::unordered_map<std::uint64_t, std::uint32_t> lives_;  // by hashed id; never iterated
  std::unordered_map<std::string, std::size_t> running_;    // for events; never iterated
  std::unordered_map<std::string, Tie> ties_;               // of last_event_; never iterated
  std::vector<SimTime> known_ends_;
  std::vector<SimTime> found_ends_;
  SimTime last_event_ = SimTime::min();
  std::string disorder_;  ///< the first place where events go back in time
  bool has_ends_ = false;
};

}  // namespace cospot
