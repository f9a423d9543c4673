#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/model/host_table.hpp"
#include "sim_harness/base/files/stored_stream.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/run_observer.hpp"

namespace cospot {

/// Writes everything that happens in a run as CSV, one event a row (docs/event-log-format.md),
/// packed when the name ends in `.gz`. Rows go to disk as they come.
///
/// Errors, from every call: InputError when the file cannot be written.
class EventLog final : public RunObserver {
 public:
  /// `workload` and `hosts`, those of the run, outlive the log.
  EventLog(const std::filesystem::path& file, const Workload& workload, const HostTable& hosts);

  /// The run is over: the file takes its name. Without this call nothing is left of it.
  void finish();

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
    const ResourceVector* size = nullptr;  ///< nullptr: what the instance has
  };
  void add(const Row& row);
  void add_instance(const Row& row);
  [[nodiscard]] const ResourceVector& size_of(InstanceIndex instance) const;

  const Workload* workload_;
  const HostTable* hosts_;
  StoredStream stream_;
  std::string buffer_;
  std::map<InstanceIndex, ResourceVector> resized_;
};

}  // namespace cospot
