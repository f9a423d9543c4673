#include "sim_harness/commands/run_result_text.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "core/model/revenue.hpp"
#include "sim_harness/base/text/amount_text.hpp"

namespace cospot {
namespace {

template <class... Values>
void add(std::string& text, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
}

void add_row(std::string& text, std::string_view name, const std::string& vms,
             const std::string& spots) {
  add(text, "{:<32}{:>18}{:>18}\n", name, vms, spots);
}

void add_counts(std::string& text, const RunResult& result) {
  const auto row = [&](std::string_view name, std::uint64_t vms, std::uint64_t spots) {
    add_row(text, name, std::to_string(vms), std::to_string(spots));
  };
  row("requests", result.vm_requests, result.spot_requests);
  row("placed", result.vm_requests - result.vm_rejected, result.spot_admitted);
  row("rejected", result.vm_rejected, result.spot_requests - result.spot_admitted);
  add_row(text, "evicted", "-", std::to_string(result.evictions));
}

std::string vcpu_hours(Revenue revenue, const VcpusUnit& unit) {
  constexpr double kSecondsPerHour = 3600;
  constexpr double kLarge = 1e6;
  const double hours = vcpu_seconds(revenue) / kSecondsPerHour * unit.vcpus;
  return hours < kLarge ? fmt::format("{:.3f}", hours) : amount_text(hours);
}

/// A share in percent with enough digits for a loss of a few VMs among many.
std::string percent(Revenue part, Revenue whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.4f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

void add_money(std::string& text, const VcpuHourPrices& prices, std::string_view name, Revenue vms,
               Revenue spots) {
  add_row(text, name, money_text(prices.of_vms(vcpu_seconds(vms))),
          money_text(prices.of_spots(vcpu_seconds(spots))));
}

/// What spots earn less what VMs lose.
double net_money(const RunResult& result, const VcpuHourPrices& prices) {
  return prices.of_spots(vcpu_seconds(result.spot_revenue)) -
         prices.of_vms(vcpu_seconds(result.vm_revenue_requested - result.vm_revenue));
}

void add_revenue(std::string& text, const RunResult& result, const RevenueWords& words) {
  const std::string_view hours = words.unit.is_relative ? "unit-hours" : "vCPU-hours";
  const std::optional<VcpuHourPrices>& prices = words.prices;
  const Revenue vms_lost = result.vm_revenue_requested - result.vm_revenue;
  const Revenue spots_lost = result.spot_revenue_requested - result.spot_revenue;
  add_row(text, fmt::format("revenue requested, {}", hours),
          vcpu_hours(result.vm_revenue_requested, words.unit),
          vcpu_hours(result.spot_revenue_requested, words.unit));
  if (prices) {
    add_money(text, *prices, "  money", result.vm_revenue_requested, result.spot_revenue_requested);
  }
  add_row(text, fmt::format("revenue earned, {}", hours), vcpu_hours(result.vm_revenue, words.unit),
          vcpu_hours(result.spot_revenue, words.unit));
  if (prices) add_money(text, *prices, "  money", result.vm_revenue, result.spot_revenue);
  add_row(text, "  of what was requested", percent(result.vm_revenue, result.vm_revenue_requested),
          percent(result.spot_revenue, result.spot_revenue_requested));
  const auto lost = [](Revenue requested, Revenue earned) {
    return percent(requested - earned, requested);
  };
  add_row(text, "  lost", lost(result.vm_revenue_requested, result.vm_revenue),
          lost(result.spot_revenue_requested, result.spot_revenue));
  if (!prices) return;
  add_money(text, *prices, "  lost, money", vms_lost, spots_lost);
  const double net = net_money(result, *prices);
  add(text, "net of lost VMs, spots earn {}, {} a month\n", money_text(net),
      money_text(net / words.window_days * kDaysPerMonth));
}

std::string duration(std::uint64_t nanoseconds) {
  const auto amount = static_cast<double>(nanoseconds);
  if (amount < 1e3) return fmt::format("{} ns", nanoseconds);
  if (amount < 1e6) return fmt::format("{:.2f} us", amount / 1e3);
  if (amount < 1e9) return fmt::format("{:.2f} ms", amount / 1e6);
  return fmt::format("{:.2f} s", amount / 1e9);
}

void add_times(std::string& text, const RunResult& result) {
  if (result.alloc_max_ns > 0) {
    add(text, "time to allocate a VM: p50 {}, p99 {}, longest {}\n", duration(result.alloc_p50_ns),
        duration(result.alloc_p99_ns), duration(result.alloc_max_ns));
  } else {
    text += "time to allocate a VM: not measured\n";
  }
  add(text, "time to simulate: {:.1f} ms\n", result.wall_ms);
}

}  // namespace

std::string run_result_text(const RunResult& result, Timing timing, const RevenueWords& words) {
  std::string text;
  add_row(text, "", "VMs", "spots");
  add_counts(text, result);
  add_revenue(text, result, words);
  if (result.vm_too_large > 0) {
    add(text, "{} of the rejected VMs {} larger than an empty host\n", result.vm_too_large,
        result.vm_too_large == 1 ? "was" : "were");
  }
  if (timing == Timing::kOn) add_times(text, result);
  return text;
}

Json run_money_json(const RunResult& result, const VcpuHourPrices& prices, double window_days) {
  const auto vms = [&](Revenue revenue) { return json_of(prices.of_vms(vcpu_seconds(revenue))); };
  const auto spots = [&](Revenue revenue) {
    return json_of(prices.of_spots(vcpu_seconds(revenue)));
  };
  const double net = net_money(result, prices);
  return {{"on_demand", json_of(prices.on_demand)},
          {"spot", json_of(prices.spot)},
          {"vms_requested", vms(result.vm_revenue_requested)},
          {"vms_earned", vms(result.vm_revenue)},
          {"spots_requested", spots(result.spot_revenue_requested)},
          {"spots_earned", spots(result.spot_revenue)},
          {"net", json_of(net)},
          {"net_per_month", json_of(net / window_days * kDaysPerMonth)}};
}

}  // namespace cospot
