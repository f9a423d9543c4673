#include "sim_harness/results/summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "sim_harness/results/bound_policies.hpp"
#include "sim_harness/results/gain.hpp"
#include "sim_harness/results/revenue_text.hpp"

namespace cospot {
namespace {

/// A datacenter size that sorts by its number.
using SizeKey = std::pair<bool, double>;

SizeKey size_of(const ResultRow& row) {
  return row.headroom_percent ? SizeKey{false, *row.headroom_percent}
                              : SizeKey{true, static_cast<double>(row.result.hosts)};
}

std::string size_text(const SizeKey& size) {
  return size.first ? fmt::format("{:.0f} hosts", size.second)
                    : fmt::format("{:.6g}%", size.second);
}

bool is_without_loss(const ResultRow& row) {
  return row.result.vm_rejected == row.result.vm_too_large;
}

std::optional<double> ratio(Revenue part, Revenue whole) {
  if (whole == 0) return std::nullopt;
  return vcpu_seconds(part) / vcpu_seconds(whole);
}

class Average {
 public:
  void add(double value) {
    sum_ += value;
    max_ = count_ == 0 ? value : std::max(max_, value);
    ++count_;
  }
  void add(const std::optional<double>& value) {
    if (value) add(*value);
  }
  [[nodiscard]] MeanAndMax result() const {
    return {count_, count_ == 0 ? 0 : sum_ / static_cast<double>(count_), max_};
  }
  [[nodiscard]] std::optional<double> mean() const {
    return count_ == 0 ? std::nullopt : std::optional(sum_ / static_cast<double>(count_));
  }

 private:
  std::size_t count_ = 0;
  double sum_ = 0;
  double max_ = 0;
};

/// Every row's gain, where it has one; counts in `summary` the rows that do not.
std::vector<std::optional<double>> count_gains(std::span<const ResultRow> rows, Summary& summary) {
  std::vector<std::optional<double>> gains;
  for (const Gain& gain : compute_gains(rows)) {
    if (!gain.has_baseline) {
      ++summary.without_baseline;
    } else if (!gain.value) {
      ++summary.with_empty_baseline;
    }
    gains.push_back(gain.value);
  }
  return gains;
}

void summarise_gains(std::span<const ResultRow> rows,
                     const std::vector<std::optional<double>>& gains, Summary& summary) {
  Average all;
  Average without_loss;
  std::map<std::pair<bool, OfferRule>, Average> cells;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    all.add(gains[i]);
    if (is_without_loss(rows[i])) without_loss.add(gains[i]);
    cells[{rows[i].saf, rows[i].otn}].add(gains[i]);
  }
  summary.gain = all.result();
  summary.gain_without_loss = without_loss.result();
  for (const auto& [saf_otn, average] : cells) {
    summary.gain_by_saf_otn.push_back({saf_otn.first, saf_otn.second, average.mean()});
  }
}

void summarise_first_hours(std::span<const ResultRow> rows, Summary& summary) {
  Average of_earned;
  Average of_requested;
  for (const ResultRow& row : rows) {
    const RunResult& result = row.result;
    const Revenue loss = result.spot_revenue - result.spot_revenue_first_hour_free;
    of_earned.add(ratio(loss, result.spot_revenue));
    of_requested.add(ratio(loss, result.spot_revenue_requested));
  }
  summary.first_hour_free_loss = of_earned.result();
  summary.first_hour_free_loss_of_requested = of_requested.result();
}

void summarise_vms(std::span<const ResultRow> rows, Summary& summary) {
  Average loss;
  std::map<std::string, std::uint64_t> too_large;
  for (const ResultRow& row : rows) {
    const RunResult& result = row.result;
    loss.add(ratio(result.vm_revenue_requested - result.vm_revenue, result.vm_revenue_requested));
    if (is_without_loss(row)) ++summary.runs_without_loss;
    std::uint64_t& count = too_large[row.workload];
    count = std::max(count, result.vm_too_large);
  }
  summary.vm_loss = loss.result();
  summary.workloads = too_large.size();
  for (const auto& [workload, count] : too_large) {
    summary.too_large_vms += count;
    if (count > 0) ++summary.too_large_workloads;
  }
}

void summarise_times(std::span<const ResultRow> rows, Summary& summary) {
  Average wall;
  Average p50;
  Average p99;
  for (const ResultRow& row : rows) {
    wall.add(row.result.wall_ms);
    p50.add(static_cast<double>(row.result.alloc_p50_ns));
    p99.add(static_cast<double>(row.result.alloc_p99_ns));
    summary.times.alloc_max_ns = std::max(summary.times.alloc_max_ns, row.result.alloc_max_ns);
  }
  summary.times.wall_ms_mean = wall.result().mean;
  summary.times.alloc_p50_ns_mean = p50.result().mean;
  summary.times.alloc_p99_ns_mean = p99.result().mean;
}

/// One combination at one size, over the workloads.
struct Candidate {
  const ResultRow* first = nullptr;
  std::size_t workloads = 0;
  bool without_loss = true;
  bool is_bound = false;
  Average share, gain, evictions;
};

/// Candidates in grid order, so that the first of equals wins whatever order they were found in.
using Candidates = std::vector<Candidate>;

std::map<SizeKey, Candidates> find_candidates(std::span<const ResultRow> rows,
                                              const std::vector<std::optional<double>>& gains) {
  using Key = std::tuple<SizeKey, std::string, std::string, std::string, bool, OfferRule>;
  std::map<Key, std::size_t> positions;
  std::map<SizeKey, Candidates> by_size;
  BoundPolicies bounds;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ResultRow& row = rows[i];
    Candidates& candidates = by_size[size_of(row)];
    const auto [entry, is_new] = positions.emplace(
        Key{size_of(row), row.vm, row.spot, row.evictor, row.saf, row.otn}, candidates.size());
    if (is_new) {
      Candidate& candidate = candidates.emplace_back();
      candidate.first = &row;
      candidate.is_bound = bounds.is_bound(row);
    }
    Candidate& candidate = candidates[entry->second];
    ++candidate.workloads;
    candidate.without_loss = candidate.without_loss && is_without_loss(row);
    candidate.share.add(ratio(row.result.spot_revenue, row.result.spot_revenue_requested));
    candidate.gain.add(gains[i]);
    candidate.evictions.add(static_cast<double>(row.result.evictions));
  }
  return by_size;
}

std::optional<BestCombination> choose_best(const Candidates& candidates, bool is_bound,
                                           std::size_t workloads) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (candidate.is_bound != is_bound) continue;
    if (!candidate.without_loss || candidate.workloads < workloads) continue;
    if (best == nullptr || candidate.share.mean() > best->share.mean()) best = &candidate;
  }
  if (best == nullptr) return std::nullopt;
  const ResultRow& row = *best->first;
  return BestCombination{.vm = row.vm,
                         .spot = row.spot,
                         .evictor = row.evictor,
                         .saf = row.saf,
                         .otn = row.otn,
                         .spot_revenue_share = best->share.mean(),
                         .gain = best->gain.mean(),
                         .evictions = best->evictions.mean().value_or(0)};
}

void summarise_best(std::span<const ResultRow> rows,
                    const std::vector<std::optional<double>>& gains, Summary& summary) {
  for (const auto& [size, candidates] : find_candidates(rows, gains)) {
    for (const Candidate& candidate : candidates) {
      (candidate.is_bound ? summary.any_bound : summary.any_to_set) = true;
    }
    summary.best.push_back({.size = size_text(size),
                            .to_set = choose_best(candidates, false, summary.workloads),
                            .bound = choose_best(candidates, true, summary.workloads)});
  }
}

}  // namespace

Summary summarise(std::span<const ResultRow> rows, std::size_t expected_runs) {
  Summary summary;
  summary.runs = rows.size();
  summary.expected_runs = expected_runs;
  const std::vector<std::optional<double>> gains = count_gains(rows, summary);
  summarise_gains(rows, gains, summary);
  summarise_first_hours(rows, summary);
  summarise_vms(rows, summary);
  summarise_times(rows, summary);
  summarise_best(rows, gains, summary);
  return summary;
}

}  // namespace cospot
