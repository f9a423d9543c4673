#include "tests/cpp/random_cloud.hpp"

namespace cospot {

std::vector<reference::HostSettings> random_cloud(Random& random, std::size_t hosts) {
  const std::vector<ResourceVector> sizes{{10, 10, 0}, {6, 16, 0}, {16, 5, 0}};
  std::vector<reference::HostSettings> cloud;
  for (std::size_t i = 0; i < hosts; ++i) {
    reference::HostSettings host{.total = sizes[random.below(3)]};
    host.zone = random.below(2) == 0 ? "a" : "b";
    if (random.below(2) == 0) host.metadata["disk"] = {"ssd"};
    if (random.below(3) == 0) host.metadata["disk"].insert("nvme");
    if (random.below(5) == 0) host.metadata["filter_tenant_id"] = {"t1"};
    cloud.push_back(host);
  }
  return cloud;
}

void ask_for_places(Random& random, Workload& workload) {
  WorkloadPlacements& placements = workload.placements;
  placements.groups = {
      {.id = "near", .policy = GroupPolicy::kAffinity},
      {.id = "apart", .policy = GroupPolicy::kAntiAffinity},
      {.id = "pairs", .policy = GroupPolicy::kAntiAffinity, .max_server_per_host = 2},
      {.id = "wish", .policy = GroupPolicy::kSoftAntiAffinity}};
  for (std::uint32_t i = 0; i < 24; ++i) {
    RowPlacement asked;
    if (random.below(2) == 0) asked.rules.zone = random.below(2) == 0 ? "a" : "b";
    if (random.below(3) == 0)
      asked.rules.extra_specs = {{"disk", random.below(2) == 0 ? "ssd" : "nvme"}};
    if (random.below(2) == 0) asked.group = static_cast<std::uint32_t>(random.below(4));
    placements.asked.push_back(asked);
  }
  for (WorkloadRow& row : workload.rows) {
    if (random.below(2) == 0)
      row.placement =
          static_cast<std::uint32_t>(1 + random.below(24)) & WorkloadPlacements::kMostAsked;
  }
}

}  // namespace cospot
