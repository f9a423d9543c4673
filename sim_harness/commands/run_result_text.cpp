#include "sim_harness/commands/run_result_text.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "core/model/revenue.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/experiments/money/income.hpp"

namespace cospot {
namespace {

template <class... Values>
void add(std::string& text, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
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

Revenue requested(const LevelOutcome& of) { return of.revenue_requested; }
Revenue earned(const LevelOutcome& of) { return of.revenue(); }
Revenue lost(const LevelOutcome& of) { return requested(of) - earned(of); }

double money_of(const VcpuHourPrices& prices, std::size_t level, std::size_t levels,
                Revenue revenue) {
  const double amount = vcpu_seconds(revenue);
  if (level == 0) return prices.of_vms(amount);
  return level + 1 == levels ? prices.of_spots(amount) : prices.of_economy(amount);
}

Income income_of(std::span<const LevelOutcome> levels, const RevenueWords& words) {
  const auto money = [&](std::size_t level, Revenue revenue) {
    return money_of(*words.prices, level, levels.size(), revenue);
  };
  const std::size_t spots = levels.size() - 1;
  Income income{.vms_requested = money(0, requested(levels[0])),
                .vms_lost = money(0, lost(levels[0])),
                .spots_requested = money(spots, requested(levels[spots])),
                .spots_earned = money(spots, earned(levels[spots])),
                .days = words.window_days};
  for (std::size_t level = 1; level < spots; ++level) {
    income.economy_earned += money(level, earned(levels[level]));
  }
  return income;
}

/// The levels of a run, for a table with a column for each: VMs, economy instances, spots.
class LevelTable {
 public:
  LevelTable(std::span<const LevelOutcome> levels, const RevenueWords& words)
      : levels_(levels), words_(words) {
    add(text_, "{:<32}", "");
    for (std::size_t level = 0; level < levels.size(); ++level) {
      add(text_, "{:>18}", is_vms(level) ? "VMs" : is_spots(level) ? "spots" : "economy");
    }
    text_ += '\n';
  }

  void add_counts() {
    add_row("requests", [](const LevelOutcome& of) { return std::to_string(of.requests); });
    add_row("placed", [](const LevelOutcome& of) { return std::to_string(of.placed()); });
    add_row("rejected", [](const LevelOutcome& of) { return std::to_string(of.rejected()); });
    add_row("evicted", [this](const LevelOutcome& of) {
      return &of == &levels_.front() ? "-" : std::to_string(of.evictions);
    });
  }

  void add_revenue() {
    const std::string_view hours = words_.unit.is_relative ? "unit-hours" : "vCPU-hours";
    add_amounts(fmt::format("revenue requested, {}", hours), &requested);
    add_money("  money", &requested);
    add_amounts(fmt::format("revenue earned, {}", hours), &earned);
    add_money("  money", &earned);
    add_row("  of what was requested",
            [](const LevelOutcome& of) { return percent(earned(of), requested(of)); });
    add_row("  lost", [](const LevelOutcome& of) { return percent(lost(of), requested(of)); });
    add_money("  lost, money", &lost);
    if (!words_.prices) return;
    const Income income = income_of(levels_, words_);
    add(text_, "net of lost VMs, {} earn {}, {} a month\n",
        levels_.size() > 2 ? "economy instances and spots" : "spots", money_text(income.net()),
        money_text(income.net_per_month()));
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  using Amount = Revenue (*)(const LevelOutcome&);

  [[nodiscard]] static bool is_vms(std::size_t level) { return level == 0; }
  [[nodiscard]] bool is_spots(std::size_t level) const { return level + 1 == levels_.size(); }

  template <class Cell>
  void add_row(std::string_view name, const Cell& cell) {
    add(text_, "{:<32}", name);
    for (const LevelOutcome& of : levels_) add(text_, "{:>18}", cell(of));
    text_ += '\n';
  }
  void add_amounts(std::string_view name, Amount amount) {
    add_row(name, [&](const LevelOutcome& of) { return vcpu_hours(amount(of), words_.unit); });
  }
  void add_money(std::string_view name, Amount amount) {
    if (!words_.prices) return;
    add_row(name, [&](const LevelOutcome& of) {
      const auto level = static_cast<std::size_t>(&of - levels_.data());
      return money_text(money_of(*words_.prices, level, levels_.size(), amount(of)));
    });
  }

  std::span<const LevelOutcome> levels_;
  const RevenueWords& words_;
  std::string text_;
};

std::string duration(std::uint64_t nanoseconds) {
  const auto amount = static_cast<double>(nanoseconds);
  if (amount < 1e3) return fmt::format("{} ns", nanoseconds);
  if (amount < 1e6) return fmt::format("{:.2f} us", amount / 1e3);
  if (amount < 1e9) return fmt::format("{:.2f} ms", amount / 1e6);
  return fmt::format("{:.2f} s", amount / 1e9);
}

void add_times(std::string& text, const RunResult& result) {
  const auto add_one = [&text](std::string_view what, std::uint64_t p50, std::uint64_t p99,
                               std::uint64_t longest) {
    add(text, "time to allocate a {}: ", what);
    if (longest == 0) {
      text += "not measured\n";
    } else {
      add(text, "p50 {}, p99 {}, longest {}\n", duration(p50), duration(p99), duration(longest));
    }
  };
  add_one("VM", result.alloc_p50_ns, result.alloc_p99_ns, result.alloc_max_ns);
  add_one("spot", result.spot_alloc_p50_ns, result.spot_alloc_p99_ns, result.spot_alloc_max_ns);
  add(text, "time to simulate: {:.1f} ms\n", result.wall_ms);
}

}  // namespace

std::string run_result_text(std::span<const LevelOutcome> levels, const RunResult& result,
                            Timing timing, const RevenueWords& words) {
  LevelTable table(levels, words);
  table.add_counts();
  table.add_revenue();
  std::string text = table.text();
  if (result.vm_too_large > 0) {
    add(text, "{} of the rejected VMs {} larger than an empty host\n", result.vm_too_large,
        result.vm_too_large == 1 ? "was" : "were");
  }
  if (timing == Timing::kOn) add_times(text, result);
  return text;
}

Json run_money_json(std::span<const LevelOutcome> levels, const RevenueWords& words) {
  const VcpuHourPrices& prices = *words.prices;
  Json json{{"on_demand", json_of(prices.on_demand)}, {"spot", json_of(prices.spot)}};
  if (levels.size() > 2) json["economy"] = json_of(prices.economy);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const std::string name = level == 0 ? "vms" : level + 1 < levels.size() ? "economy" : "spots";
    const auto money = [&](Revenue of) {
      return json_of(money_of(prices, level, levels.size(), of));
    };
    json[name + "_requested"] = money(requested(levels[level]));
    json[name + "_earned"] = money(earned(levels[level]));
  }
  const Income income = income_of(levels, words);
  json["net"] = json_of(income.net());
  json["net_per_month"] = json_of(income.net_per_month());
  return json;
}

}  // namespace cospot
