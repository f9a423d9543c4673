#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/resource_vector.hpp"
#include "sim_harness/engine/simulation_engine.hpp"
#include "sim_harness/workloads/workload.hpp"
#include "tests/cpp/reference_simulator.hpp"

/// The slow simulator of priority levels for the tests: it recomputes every sum from the instances,
/// ranks every host by a full sort, and takes instances away one level after the other.
namespace cospot::reference {

struct LevelSettings {
  ResourceVector host{};
  std::size_t hosts = 0;
  std::size_t levels = 3;
  std::vector<std::uint8_t> level_of{};  ///< of each row
  std::string vm = "UTIL";               ///< of all levels but the lowest: UTIL, COS or DPD
  std::string spot = "sUTIL";
  std::string evictor = "FIFO";  ///< or YJF, LPO
  bool saf = false;
  std::size_t otn = 1;
  std::vector<HostSettings> places{};  ///< where each host stands, its total aside; empty: nowhere
  std::int64_t promised_vcpus = -1;    ///< to level 1; negative: no limit
};

struct LevelOutcome {
  std::vector<HostIndex> placements;  ///< by workload row; kNoHost: rejected
  std::vector<LevelResult> results;
};

[[nodiscard]] LevelOutcome simulate_levels(const Workload& workload, const LevelSettings& settings);

}  // namespace cospot::reference
