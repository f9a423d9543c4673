#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/host_table.hpp"
#include "sim_harness/base/files/stored_stream.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/run_observer.hpp"

namespace cospot {

/// Writes all events of a run as CSV, one per row (docs/event-log-format.md), gzip-compressed if
/// the name ends in `.gz`. Rows are written as they arrive. Without a file they are kept for
/// take().
///
/// Errors, from every call: InputError if the file cannot be written.
class EventLog final : public RunObserver {
 public:
  /// `workload`, `hosts` and `levels` are those of the run and must outlive the log.
  EventLog(const std::optional<std::filesystem::path>& file, const Workload& workload,
           const HostTable& hosts, const PriorityLevels& levels = {});

  /// Ends the log and gives the file its final name. Without this call no file remains.
  void finish();

  /// Returns the rows that are kept and forgets them; at first after the header line.
  [[nodiscard]] std::string take() { return std::exchange(buffer_, {}); }

  void requested(const Request& request) override;
  void offered(const Offer& offer) override;
  void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) override;
  void placed(const Request& request, HostIndex host) override;
  void rejected(const Request& request) override;
  void departed(InstanceIndex instance, HostIndex host, SimTime time) override;
  void happened(const LifeEvent& event) override;

 private:
  struct Row {
    SimTime time;
    std::string_view event;
    InstanceIndex instance;
    HostIndex host = kNoHost;
    std::size_t place_in_offer = 0;  ///< 1 is the best; 0: not an offer
    const Request* for_vm = nullptr;
    const ResourceVector* size = nullptr;  ///< nullptr: the instance's own size
  };
  void add(const Row& row);
  void add_instance(const Row& row);
  [[nodiscard]] std::string_view class_of(InstanceIndex instance) const;
  [[nodiscard]] const ResourceVector& size_of(InstanceIndex instance) const;

  const Workload* workload_;
  const HostTable* hosts_;
  PriorityLevels levels_;
  std::optional<StoredStream> stream_;
  std::string buffer_;
  std::map<InstanceIndex, ResourceVector> resized_;
};

}  // namespace cospot
