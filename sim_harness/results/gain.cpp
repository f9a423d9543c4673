#include "sim_harness/results/gain.hpp"

#include <map>
#include <string>
#include <tuple>

#include "sim_harness/results/revenue_text.hpp"

namespace cospot {
namespace {

using BaselineKey = std::tuple<std::string, std::optional<double>, std::size_t, std::string,
                               std::string, std::string>;

BaselineKey baseline_key(const ResultRow& row) {
  // The hosts count only where no headroom names the size: then they are the size.
  const std::size_t hosts = row.headroom_percent ? 0 : row.result.hosts;
  return {row.workload, row.headroom_percent, hosts, row.vm, row.spot, row.evictor};
}

bool is_baseline(const ResultRow& row) { return !row.saf && row.otn == 1; }

}  // namespace

std::vector<Gain> compute_gains(std::span<const ResultRow> rows) {
  std::map<BaselineKey, Revenue> baselines;
  for (const ResultRow& row : rows) {
    if (is_baseline(row)) baselines[baseline_key(row)] = row.result.spot_revenue;
  }
  std::vector<Gain> gains;
  gains.reserve(rows.size());
  for (const ResultRow& row : rows) {
    const auto baseline = baselines.find(baseline_key(row));
    Gain gain;
    gain.has_baseline = baseline != baselines.end();
    if (gain.has_baseline && baseline->second != 0) {
      gain.value = vcpu_seconds(row.result.spot_revenue) / vcpu_seconds(baseline->second) - 1;
    }
    gains.push_back(gain);
  }
  return gains;
}

}  // namespace cospot
