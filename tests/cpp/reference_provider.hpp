#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/disruptions/life_plan.hpp"
#include "sim_harness/provider/notices/notice_result.hpp"
#include "sim_harness/provider/notices/reserve_settings.hpp"
#include "sim_harness/provider/run/level_outcome.hpp"
#include "sim_harness/provider/run/life_result.hpp"
#include "sim_harness/provider/schedulers/scheduler_result.hpp"
#include "sim_harness/provider/schedulers/scheduler_settings.hpp"
#include "tests/cpp/reference_simulator.hpp"

/// The slow simulator of a provider's whole datacenter: priority levels, retries, outages, resizes,
/// several schedulers, the Economy promise, the lifetime SLA and a reserve in any combination. It
/// keeps a copy of the datacenter after every change and hands whole copies to schedulers, ranks
/// all hosts by a full sort, recomputes every sum from the instances, and settles what is lost when
/// all is over.
namespace cospot::reference {

struct ProviderCase {
  std::vector<HostSettings> hosts{};
  std::size_t levels = 2;
  std::vector<std::uint8_t> level_of{};  ///< of each row
  std::string vm = "UTIL";               ///< of all levels but the lowest: UTIL, COS, DPD, FirstFit
  std::string spot = "sUTIL";
  std::string evictor = "FIFO";  ///< or YJF, LPO
  bool saf = false;
  std::size_t otn = 1;
  std::optional<AdaptiveOffer> adaptive{};  ///< used instead of otn, if set
  LifePlan plan{};
  std::vector<SchedulerSettings> schedulers{};  ///< one, or none
  std::int64_t promised_vcpus = -1;             ///< to level 1; negative: no limit
  /// Spots are promised lifetimes; what is learned, and its estimate, is the product's (proved in
  /// test_lifetime_estimate).
  bool has_sla = false;
  double sla_target = 0.2;
  double sla_asked_factor = 1;
  double sla_asking_percent = 100;
  ReserveSettings reserve{};  ///< for no VM: there is none
};

struct ProviderOutcome {
  std::vector<std::string> events;  ///< event_line
  std::vector<LevelOutcome> levels;
  LifeResult life;
  SchedulerResult schedulers;
  std::uint64_t promises = 0, promises_broken = 0;
  NoticeResult notices{};
  std::vector<HostIndex> first_host_of{};  ///< by workload row; kNoHost: never placed
};

/// The case of VMs and spots alone.
[[nodiscard]] ProviderCase case_of(const Settings& settings);

[[nodiscard]] ProviderOutcome simulate_provider(const Workload& workload, const ProviderCase& one);

/// How both write an event; -1: no instance, no host.
[[nodiscard]] std::string event_line(SimTime time, const std::string& event, std::int64_t instance,
                                     std::int64_t host, ResourceVector size = {});

}  // namespace cospot::reference
