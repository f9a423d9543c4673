// Capacity that is kept free for VMs: spots that hold it are told so, and go when their notice is
// over. As cospot-evictor does in Nova with mode = proactive: docs/nova/evictor.md.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_money.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"
#include "sim_harness/studies/provider/provider_views.hpp"
#include "sim_harness/studies/provider/run_measures.hpp"

namespace cospot {
namespace {

using R = RunOutcome;

void add_reserve(const PartRun& run) {
  constexpr double kMicrosecondsPerSecond = 1e6;
  const ReservedCapacity& reserved = run.at.get(kReserveAxis).reserved;
  if (reserved.count == 0) return;
  run.settings.spot.filters.push_back(
      {.name = "Reserve",
       .options = {{"vcpus", std::int64_t{reserved.size.vcpus}},
                   {"memory_mb", std::int64_t{reserved.size.memory_mb}},
                   {"count", reserved.count}}});
  const double notice_s = run.at.get(kNoticeAxis);
  run.parts.reserve = ReserveSettings{
      .reserved = reserved, .notice = SimTime{std::llround(notice_s * kMicrosecondsPerSecond)}};
}

/// Refuses a reserve of VMs that no host holds, which would never be complete.
std::any check_reserves(const ProviderStudySettings& settings, const Workload& /*workload*/) {
  for (const ReserveSpec& reserve : settings.reserves) {
    if (reserve.reserved.count == 0) continue;
    const auto holds_one = [&](const HostKind& kind) {
      return reserve.reserved.size.fits_in(kind.total);
    };
    if (std::ranges::none_of(settings.host.kinds(), holds_one)) {
      throw ConfigError(
          fmt::format("reserve: found '{}', a VM larger than every host", reserve.label));
    }
  }
  return {};
}

template <class Get>
Measure<R> seconds_measure(const char* name, const char* meaning, Get get) {
  return measure<R>(
      {.name = name, .unit = "s", .meaning = meaning, .may_be_null = true, .decimals = 3},
      [get](const R& one) { return get(one.notices); });
}

std::vector<Measure<R>> notice_measures() {
  constexpr double kFirstDecile = 0.1, kMedian = 0.5, kLastDecile = 0.9;
  std::vector<Measure<R>> all;
  const auto add_spots = [&all](const char* name, const char* meaning, auto get) {
    add_count(all, name, "spots", meaning, [get](const R& one) { return get(one.notices); });
  };
  add_count(all, "evictions", "spots", "evicted", [](const R& one) { return one.run().evictions; });
  add_spots("evictions_for_reserve", "evicted to complete the reserve; the others were for VMs",
            [](const NoticeResult& of) { return of.evictions_for_reserve; });
  add_spots("evictions_with_full_notice", "evicted that were told as long before as `notice_s`",
            [](const NoticeResult& of) { return of.evictions_with_full_notice; });
  add_spots("evictions_with_short_notice",
            "evicted that were told, but for which a VM came before their notice was over",
            [](const NoticeResult& of) { return of.evictions_with_short_notice; });
  add_spots("evictions_without_notice", "evicted that were not told before",
            [](const NoticeResult& of) { return of.evictions_without_notice(); });
  add_count(all, "notices", "notices", "given to spots",
            [](const R& one) { return one.notices.given; });
  add_count(all, "notices_withdrawn", "notices", "that the reserve could do without after all",
            [](const R& one) { return one.notices.withdrawn; });
  all.push_back(seconds_measure("notice_mean_s", "notice of evicted spots, 0 without one: the mean",
                                [](const NoticeResult& of) { return of.mean_s(); }));
  all.push_back(
      seconds_measure("notice_p10_s", "the same: 10% of the evicted had at most so much",
                      [](const NoticeResult& of) { return of.quantile_s(kFirstDecile); }));
  all.push_back(seconds_measure("notice_p50_s", "the same: the median",
                                [](const NoticeResult& of) { return of.quantile_s(kMedian); }));
  all.push_back(seconds_measure("notice_p90_s", "the same: 90% of the evicted had at most so much",
                                [](const NoticeResult& of) { return of.quantile_s(kLastDecile); }));
  all.push_back(measure<R>({.name = "reserve_lacking_share",
                            .unit = "fraction",
                            .meaning = "of the window in which the reserve was not complete",
                            .decimals = 6},
                           [](const R& one) {
                             return static_cast<double>(one.notices.lacking.count()) /
                                    static_cast<double>(one.window.count());
                           }));
  return all;
}

/// The same run without a reserve.
std::string without_reserve(std::span<const Column> axes) {
  return counterpart_view("without_reserve", axes, {{kReserveAxis.name, "'none'"}});
}

std::string share_of_evictions(const char* counts) {
  return fmt::format(
      "CAST({} AS REAL) / NULLIF(run.evictions_with_full_notice + "
      "run.evictions_with_short_notice + run.evictions_without_notice, 0)",
      counts);
}

std::vector<DerivedMeasure> notice_derived() {
  return {
      {derived_fraction("full_notice_share", "of the evictions: with the full notice"),
       share_of_evictions("run.evictions_with_full_notice")},
      {derived_fraction("any_notice_share", "of the evictions: with a notice, however short"),
       share_of_evictions("(run.evictions_with_full_notice + run.evictions_with_short_notice)")},
      {derived_fraction("spot_revenue_by_reserve",
                        "spot revenue over that of the same run with reserve `none`, minus 1"),
       "run.spot_revenue / NULLIF(without_reserve.spot_revenue, 0) - 1"}};
}

constexpr std::string_view kJoinWithoutReserve = " LEFT JOIN without_reserve USING (run_index) ";

constexpr Figure kFullNotice{
    .name = "full_notice_share", .title = "full notice", .meaning = "of the evictions"};
constexpr Figure kAnyNotice{.name = "any_notice_share",
                            .title = "any notice",
                            .meaning = "of the evictions, however short"};
constexpr Figure kMeanNotice{.name = "notice_mean_s",
                             .title = "mean notice",
                             .unit = FigureUnit::kSeconds,
                             .decimals = 1,
                             .meaning = "of all evicted spots, 0 without one"};
constexpr Figure kRevenueByReserve{.name = "spot_revenue_by_reserve",
                                   .title = "spot revenue by the reserve",
                                   .meaning = "relative to the same runs without a reserve"};
constexpr Figure kReserveLacking{
    .name = "reserve_lacking_share", .title = "reserve lacking", .meaning = "part of the window"};
constexpr MoneyColumn kMoreByReserve{
    .name = "spot_more_by_reserve",
    .title = "more by the reserve",
    .price = PriceKind::kSpot,
    .sql = "run.spot_revenue - without_reserve.spot_revenue",
    .meaning = "earned by spots beyond the same run with reserve `none`"};

}  // namespace

StudyPart reserve_part() {
  return {.rows = {kReserveAxis, kNoticeAxis},
          .measures = notice_measures(),
          .derived = notice_derived(),
          .views = without_reserve,
          .joins = std::string(kJoinWithoutReserve),
          .figures = {kFullNotice, kAnyNotice, kMeanNotice, kRevenueByReserve, kReserveLacking},
          .money = {kMoreByReserve},
          .money_joins = std::string(kJoinWithoutReserve),
          .share = check_reserves,
          .add = add_reserve};
}

const ProviderPreset& notice_preset() {
  static const ProviderPreset made = [] {
    Figure full_notice = kFullNotice;
    full_notice.better = Better::kHigh;
    return ProviderPreset{
        .name = "notice",
        .summary =
            "capacity kept free for VMs: how many evicted spots are told before, at what cost",
        .page = "docs/notice.md",
        .subject = "study notice",
        .rows = provider_rows(),
        .parts = {"reserve"},
        .measures = measures_of<&R::life>(measures_of<&LifeResult::run>(
            run_measures("rejected, those larger than a host included", "placed",
                         {.name = "evictions", .unit = "spots", .meaning = "evicted"}))),
        .derived = {{derived_fraction("vm_loss",
                                      "part of the requested VM revenue that was not earned"),
                     "run.vm_revenue_lost / NULLIF(run.vm_revenue_requested, 0)"},
                    {derived_fraction("spot_share", "spot revenue over what spots requested"),
                     "run.spot_revenue / NULLIF(run.spot_revenue_requested, 0)"}},
        .figures = {.title = "Capacity kept free for VMs, and notice to spots",
                    .figures = {full_notice,
                                kAnyNotice,
                                kMeanNotice,
                                {.name = "evictions",
                                 .title = "evictions",
                                 .unit = FigureUnit::kNumber,
                                 .decimals = 1},
                                kSpotShare,
                                kRevenueByReserve,
                                kVmLoss,
                                kReserveLacking}},
        .money = {.columns = {kVmsLost, kVmsRequested, kVmsEarned, kSpotsEarned, kSpotsRequested,
                              kMoreByReserve},
                  .joins = std::string(kJoinWithoutReserve)}};
  }();
  return made;
}

}  // namespace cospot
