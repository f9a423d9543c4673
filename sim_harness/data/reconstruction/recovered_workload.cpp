#include "sim_harness/data/reconstruction/recovered_workload.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "core/errors.hpp"
#include "sim_harness/base/text/terminal_meter.hpp"

namespace cospot {
namespace {

/// Whole numbers seen so far, one bit each: ids of a trace are dense, so that those of the whole
/// zone take a few megabytes.
class SeenIds {
 public:
  /// False when it was there already.
  bool insert(std::int64_t id) {
    const auto bits = static_cast<std::uint64_t>(id);
    std::uint64_t& word = words_[bits >> 6U];
    const std::uint64_t bit = std::uint64_t{1} << (bits & 63U);
    if ((word & bit) != 0) return false;
    word |= bit;
    return true;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> words_;  // never iterated
};

using SizeOfType = std::unordered_map<std::int64_t, const RecoveredSize*>;  // never iterated

SizeOfType index_recovered(const RecoveredSizes& sizes) {
  SizeOfType of_type;
  for (const RecoveredSize& size : sizes.vm_types) {
    if (size.recovery == Recovery::kRecovered) of_type.emplace(size.id, &size);
  }
  return of_type;
}

WorkloadRow make_row(const TraceRequest& request, const RecoveredSize& size) {
  return {.id = fmt::format("{}", request.id),
          .tenant = fmt::format("{}", request.tenant),
          .resources = {.vcpus = static_cast<ResourceAmount>(size.vcpus),
                        .memory_mb = static_cast<ResourceAmount>(size.memory)},
          .instance_class = request.instance_class,
          .start = request.start,
          .end = request.end};
}

}  // namespace

void write_recovered_workload(PackingTrace& trace, const RecoveredSizes& sizes,
                              const std::map<std::int64_t, std::uint64_t>& requests,
                              WorkloadStream& output) {
  std::uint64_t total = 0;
  for (const auto& [type, count] : requests) total += count;
  const SizeOfType of_type = index_recovered(sizes);
  TerminalMeter meter("reconstruct", MeterUnit::kRows);
  SeenIds ids;
  std::uint64_t done = 0;
  trace.read_requests([&](const TraceRequest& request) {
    meter.update(++done, total);
    if (!ids.insert(request.id)) {
      throw WorkloadError(fmt::format(
          "the trace has two requests with the vmId {}, expected unique ids", request.id));
    }
    const auto size = of_type.find(request.vm_type);
    if (size != of_type.end()) output.write(make_row(request, *size->second));
  });
  if (output.rows() == 0) {
    throw WorkloadError(
        "nothing written: no request of the trace has a type with a recovered size");
  }
}

}  // namespace cospot
