#include "tests/cpp/random_hosts.hpp"

#include <array>
#include <string>
#include <vector>

namespace cospot {
namespace {

ResourceAmount amount_up_to(Random& random, ResourceAmount most) {
  return static_cast<ResourceAmount>(random.below(static_cast<std::uint64_t>(most) + 1));
}

/// A part of `room`: nothing, all of it, or something between.
ResourceVector part_of(Random& random, const ResourceVector& room) {
  switch (random.below(4)) {
    case 0:
      return {};
    case 1:
      return room;
    default:
      return {amount_up_to(random, room.vcpus), amount_up_to(random, room.memory_mb),
              amount_up_to(random, room.disk_gb)};
  }
}

std::int32_t instances_in(Random& random, const ResourceVector& used) {
  if (used == ResourceVector{}) return 0;
  return static_cast<std::int32_t>(1 + random.below(5));
}

}  // namespace

HostTable random_hosts(Random& random, std::size_t count, bool of_one_size) {
  constexpr std::array<ResourceVector, 4> kSizes{
      ResourceVector{12, 30, 9}, {12, 12, 0}, {40, 10, 100}, {1, 1, 0}};
  std::vector<HostSpec> specs;
  for (std::size_t i = 0; i < count; ++i) {
    HostSpec host{.name = "host-" + std::to_string(i),
                  .total = of_one_size ? kSizes[0] : kSizes[random.below(kSizes.size())]};
    host.vm_used = part_of(random, host.total);
    host.spot_used = part_of(random, host.total - host.vm_used);
    host.num_vms = instances_in(random, host.vm_used);
    host.num_spots = instances_in(random, host.spot_used);
    host.num_io_ops = static_cast<std::int32_t>(random.below(4));
    specs.push_back(host);
  }
  return HostTable(specs);
}

Request random_request(Random& random) {
  Request request{.vcpus = amount_up_to(random, 4),
                  .memory_mb = amount_up_to(random, 10),
                  .disk_gb = amount_up_to(random, 3)};
  if (random.below(3) == 0) request.disk_gb = 0;
  if (random.below(8) == 0) request.memory_mb = 0;
  if (request.resources() == ResourceVector{}) request.vcpus = 1;
  return request;
}

}  // namespace cospot
