#include "sim_harness/studies/compare/summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace cospot {
namespace {

/// A datacenter size that sorts by its number: false and a headroom, or true and hosts.
using SizeKey = std::pair<bool, double>;

std::string size_text(const SizeKey& size) {
  return size.first ? fmt::format("{:.0f} host{}", size.second, size.second == 1 ? "" : "s")
                    : fmt::format("{:.6g}%", size.second);
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

/// A run as read from the view run_figures.
struct ReadRun {
  SizeKey size;
  std::string workload;
  bool saf = false;
  OfferRule otn{};
  std::optional<double> gain, vm_loss, first_hour_free_loss, first_hour_free_loss_of_requested;
  bool has_baseline = false;
  bool without_loss = false;
  bool is_bound = false;
  std::uint64_t vm_too_large = 0;
  double wall_ms = 0;
  std::uint64_t alloc_p50_ns = 0, alloc_p99_ns = 0, alloc_max_ns = 0;
};

std::optional<double> read_optional(SqliteStatement& select) {
  const bool is_null = select.next_is_null();
  const double number = select.read_number();
  return is_null ? std::nullopt : std::optional(number);
}

/// The columns headroom_percent and size_hosts.
SizeKey read_size(SqliteStatement& select) {
  const std::optional<double> percent = read_optional(select);
  const double hosts = select.read_number();
  return percent ? SizeKey{false, *percent} : SizeKey{true, hosts};
}

std::vector<ReadRun> read_figures(ResultsDatabase& results) {
  SqliteStatement select(
      results.connection(),
      "SELECT figures.headroom_percent, size_hosts, figures.workload, figures.saf, figures.otn,"
      " gain, vm_loss, first_hour_free_loss, first_hour_free_loss_of_requested, has_baseline,"
      " without_vm_loss, needs_true_lifetimes, vm_too_large, wall_ms, alloc_p50_ns, alloc_p99_ns,"
      " alloc_max_ns FROM run_figures AS figures JOIN run USING (run_index) ORDER BY run_index");
  const auto count = [&select] { return static_cast<std::uint64_t>(select.read_integer()); };
  std::vector<ReadRun> all;
  while (select.step()) {
    ReadRun& run = all.emplace_back();
    run.size = read_size(select);
    run.workload = select.read_text();
    run.saf = select.read_integer() != 0;
    run.otn = OfferRule::parse(select.read_text());
    run.gain = read_optional(select);
    run.vm_loss = read_optional(select);
    run.first_hour_free_loss = read_optional(select);
    run.first_hour_free_loss_of_requested = read_optional(select);
    run.has_baseline = select.read_integer() != 0;
    run.without_loss = select.read_integer() != 0;
    run.is_bound = select.read_integer() != 0;
    run.vm_too_large = count();
    run.wall_ms = select.read_number();
    run.alloc_p50_ns = count();
    run.alloc_p99_ns = count();
    run.alloc_max_ns = count();
  }
  return all;
}

void summarise_gains(const std::vector<ReadRun>& runs, Summary& summary) {
  Average all;
  Average without_loss;
  std::map<std::pair<bool, OfferRule>, Average> cells;
  for (const ReadRun& run : runs) {
    if (!run.has_baseline) {
      ++summary.without_baseline;
    } else if (!run.gain) {
      ++summary.with_empty_baseline;
    }
    all.add(run.gain);
    if (run.without_loss) without_loss.add(run.gain);
    cells[{run.saf, run.otn}].add(run.gain);
  }
  summary.gain = all.result();
  summary.gain_without_loss = without_loss.result();
  for (const auto& [saf_otn, average] : cells) {
    summary.gain_by_saf_otn.push_back({saf_otn.first, saf_otn.second, average.mean()});
  }
}

void summarise_first_hours(const std::vector<ReadRun>& runs, Summary& summary) {
  Average of_earned;
  Average of_requested;
  for (const ReadRun& run : runs) {
    of_earned.add(run.first_hour_free_loss);
    of_requested.add(run.first_hour_free_loss_of_requested);
  }
  summary.first_hour_free_loss = of_earned.result();
  summary.first_hour_free_loss_of_requested = of_requested.result();
}

void summarise_vms(const std::vector<ReadRun>& runs, Summary& summary) {
  Average loss;
  std::map<std::string, std::uint64_t> too_large;
  for (const ReadRun& run : runs) {
    loss.add(run.vm_loss);
    if (run.without_loss) ++summary.runs_without_loss;
    std::uint64_t& count = too_large[run.workload];
    count = std::max(count, run.vm_too_large);
  }
  summary.vm_loss = loss.result();
  summary.workloads = too_large.size();
  for (const auto& [workload, count] : too_large) {
    summary.too_large_vms += count;
    if (count > 0) ++summary.too_large_workloads;
  }
}

void summarise_times(const std::vector<ReadRun>& runs, Summary& summary) {
  Average wall;
  Average p50;
  Average p99;
  for (const ReadRun& run : runs) {
    wall.add(run.wall_ms);
    p50.add(static_cast<double>(run.alloc_p50_ns));
    p99.add(static_cast<double>(run.alloc_p99_ns));
    summary.times.alloc_max_ns = std::max(summary.times.alloc_max_ns, run.alloc_max_ns);
  }
  summary.times.wall_ms_mean = wall.result().mean;
  summary.times.alloc_p50_ns_mean = p50.result().mean;
  summary.times.alloc_p99_ns_mean = p99.result().mean;
}

/// The best combination of each size that can be deployed and does not cooperate.
constexpr std::string_view kBestWithoutCooperation =
    "(SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY headroom_percent, size_hosts"
    " ORDER BY spot_share DESC, first_run) AS place FROM combination"
    " WHERE without_vm_loss AND NOT needs_true_lifetimes AND otn = '1' AND NOT saf"
    " AND workloads = (SELECT count(DISTINCT workload) FROM run)) WHERE place = 1)";

/// The runs of the best combinations of a view, and their means.
void read_best(ResultsDatabase& results, std::string_view view,
               const std::function<std::optional<BestCombination>&(const SizeKey&, bool)>& at) {
  SqliteStatement select(
      results.connection(),
      "SELECT best.headroom_percent, best.size_hosts, best.needs_true_lifetimes, best.vm,"
      " best.spot, best.evictor, best.saf, best.otn, best.hosts, run_index, figures.spot_share,"
      " figures.spot_vcpu_hours_per_host, figures.gain, run.evictions"
      " FROM " +
          std::string(view) +
          " AS best JOIN run_figures AS figures"
          " ON figures.vm = best.vm AND figures.spot = best.spot AND figures.evictor = best.evictor"
          " AND figures.saf = best.saf AND figures.otn = best.otn"
          " AND figures.headroom_percent IS best.headroom_percent"
          " AND figures.size_hosts IS best.size_hosts"
          " JOIN run USING (run_index) ORDER BY run_index");
  std::map<BestCombination*, std::array<std::vector<double>, 4>> values;
  while (select.step()) {
    const SizeKey size = read_size(select);
    std::optional<BestCombination>& place = at(size, select.read_integer() != 0);
    BestCombination& one = place ? *place : place.emplace();
    one.vm.label = select.read_text();
    one.spot.label = select.read_text();
    one.evictor.label = select.read_text();
    one.saf = select.read_integer() != 0;
    one.otn = OfferRule::parse(select.read_text());
    one.hosts = select.read_number();
    one.runs.push_back(static_cast<std::size_t>(select.read_integer()));
    for (std::vector<double>& of_figure : values[&one]) {
      if (const std::optional<double> value = read_optional(select)) of_figure.push_back(*value);
    }
  }
  for (const auto& [one, of_figure] : values) {
    const auto mean = [](const std::vector<double>& some) {
      return some.empty() ? std::nullopt : std::optional(mean_interval(some));
    };
    one->spot_revenue_share = mean(of_figure[0]);
    one->spot_vcpu_hours_per_host = mean(of_figure[1]);
    one->gain = mean(of_figure[2]);
    one->evictions = mean(of_figure[3]);
  }
}

void summarise_best(ResultsDatabase& results, const std::vector<ReadRun>& runs, Summary& summary) {
  std::map<SizeKey, BestOfSize> by_size;
  for (const ReadRun& run : runs) {
    BestOfSize& best = by_size[run.size];
    best.size = size_text(run.size);
    if (run.size.first) {
      best.hosts = static_cast<std::size_t>(run.size.second);
    } else {
      best.headroom_percent = run.size.second;
    }
    (run.is_bound ? summary.any_bound : summary.any_to_set) = true;
  }
  using Place = std::optional<BestCombination>;
  read_best(results, "best_without_vm_loss", [&](const SizeKey& size, bool is_bound) -> Place& {
    return is_bound ? by_size[size].bound : by_size[size].to_set;
  });
  read_best(results, kBestWithoutCooperation,
            [&](const SizeKey& size, bool) -> Place& { return by_size[size].without_cooperation; });
  for (auto& [size, best] : by_size) summary.best.push_back(std::move(best));
}

/// Reads the statements of the study file that hold for all its runs.
void read_study(ResultsDatabase& results, Summary& summary) {
  SqliteStatement select(
      results.connection(),
      "SELECT json_extract(configuration, '$.sizes[0].headroom_of') IS 'each_policy',"
      " EXISTS (SELECT 1 FROM json_each(configuration, '$.workloads')"
      "         WHERE json_extract(value, '$.vcpus_unit') IS 'relative') FROM sweep");
  if (!select.step()) return;
  summary.has_own_sizes = select.read_integer() != 0;
  summary.is_relative = select.read_integer() != 0;
}

}  // namespace

Summary summarise(ResultsDatabase& results, Timing timing) {
  Summary summary;
  const std::vector<ReadRun> runs = read_figures(results);
  summary.runs = runs.size();
  summary.expected_runs = results.record().run_count;
  summarise_gains(runs, summary);
  summarise_first_hours(runs, summary);
  summarise_vms(runs, summary);
  if (timing == Timing::kOn) summarise_times(runs, summary);
  summarise_best(results, runs, summary);
  read_study(results, summary);
  return summary;
}

}  // namespace cospot
