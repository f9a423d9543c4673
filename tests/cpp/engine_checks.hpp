#pragma once

#include <string>
#include <vector>

#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/run_observer.hpp"
#include "sim_harness/provider/run/run_result.hpp"
#include "sim_harness/provider/run/run_settings.hpp"
#include "tests/cpp/reference_simulator.hpp"

namespace cospot {

/// `weigher`: a name, or sUTIL:used with its measure.
[[nodiscard]] ChainSpec chain_of(const std::string& weigher);
[[nodiscard]] EvictorSpec evictor_of(const std::string& name);
[[nodiscard]] RunSettings run_settings_of(const reference::Settings& settings);

/// The empty hosts of a run.
[[nodiscard]] HostTable make_hosts(const RunSettings& settings);
[[nodiscard]] HostTable make_hosts(const reference::Settings& settings);

/// Writes an engine's events in the terms of the reference simulator.
class EventRecorder final : public RunObserver {
 public:
  /// `most`: the most hosts an offer may have.
  explicit EventRecorder(std::size_t most = SIZE_MAX) : most_(most) {}

  void requested(const Request& request) override { requested_ = request.instance; }
  void offered(const Offer& offer) override;
  void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) override;
  void placed(const Request& request, HostIndex host) override;
  void rejected(const Request& request) override;
  void departed(InstanceIndex instance, HostIndex host, SimTime time) override;

  std::vector<reference::Event> events;

 private:
  std::size_t most_;
  InstanceIndex requested_ = 0;
};

/// Checks that two runs came to the same, their times aside.
void check_same_result(const RunResult& result, const RunResult& expected);

/// Runs the engine twice, watched (whole offers) and unwatched (lazily), against the reference.
void check_against_reference(const Workload& workload, const reference::Settings& settings);

/// The same requests, all times divided by 24: the random workloads' ticks of 6 hours become 15
/// minutes.
[[nodiscard]] Workload hurried(Workload workload);

}  // namespace cospot
