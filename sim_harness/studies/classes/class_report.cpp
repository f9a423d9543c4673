#include "sim_harness/studies/classes/class_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "guarantees/pricing/fixed_interval.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/data/prices/sold_once_json.hpp"

namespace cospot {
namespace {

constexpr auto kLeft = TextTable::Align::kLeft;

std::string percent(double fraction) { return fmt::format("{:.1f}%", 100 * fraction); }

/// Hours with three digits or so.
std::string hours_text(double value) {
  if (!std::isfinite(value)) return "-";
  return value < 10    ? fmt::format("{:.2f}", value)
         : value < 100 ? fmt::format("{:.1f}", value)
                       : fmt::format("{:.0f}", value);
}

std::string plural(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string heading(const LoadedTrace& trace, const ClassReport& report) {
  const IdleRecord& record = trace.trace.record;
  const std::optional<double> mttr = trace.mean_mttr_hours(report.pricing.mttr);
  const double days = hours_of(record.span.length()) / 24;
  const double capacity_hours =
      hours_of(record.span.length()) * static_cast<double>(record.servers);
  return fmt::format(
      "{}: {} {}, {:.1f} days\n{}"
      "usable idle capacity: {} of server time, on {}; mean time to revocation {} h ({})\n",
      trace.trace.label, plural(record.servers, trace.trace.is_placed ? "host" : "server"),
      trace.trace.server_size, days, trace.trace.simulated,
      percent(trace.capacity.all().idle_hours / capacity_hours),
      plural(trace.capacity.size(), trace.trace.is_placed ? "host" : "server"),
      mttr ? hours_text(*mttr) : "-", mttr_name(report.pricing.mttr));
}

std::string overview(const LoadedTrace& trace, const ClassReport& report) {
  TextTable table;
  table.add_column("classes");
  table.add_column("partition", kLeft);
  table.add_column("performance");
  table.add_column("revenue");
  table.add_column("of the maximum");
  for (const PartitionReport& each : report.partitions) {
    table.add_row({std::to_string(each.run.classes),
                   std::string(partition_name(each.run.partition)),
                   percent(each.result.performance), percent(each.result.revenue),
                   percent(each.result.revenue_of_maximum)});
  }
  const double idle = trace.capacity.all().idle_hours;
  const double most = trace.capacity.most_revenue(report.pricing);
  for (const FixedSale& sale : sales_without_guarantees(report.pricing.checkpoint_hours)) {
    const double useful = useful_hours(trace.capacity, sale.sold, report.pricing.checkpoint_hours);
    const double earned = revenue(trace.capacity, sale.sold, report.pricing);
    table.add_row(
        {"1", sale.name, percent(useful / idle), percent(earned / idle), percent(earned / most)});
  }
  table.add_row({std::to_string(trace.capacity.size()), "maximum",
                 percent(trace.capacity.most_useful_hours(report.pricing) / idle),
                 percent(most / idle), percent(1)});
  return fmt::format("\nRevenue at {} prices, relative to selling the idle time on demand\n{}",
                     value_name(report.pricing.rule), table.text());
}

/// A class without a revocation in a short time is not one that is never revoked.
std::string never_revoked(const ClassReport& report) {
  std::string text;
  for (const PartitionReport& each : report.partitions) {
    for (std::size_t c = 0; c < each.table.size(); ++c) {
      const OfferedClass& offered = each.table[c];
      if (offered.sums.revocations > 0) continue;
      const double bound = offered.interval.low;
      const double useful = best_performance(report.pricing.checkpoint_hours, bound);
      text += fmt::format(
          "  {} {}, class {}: no revocation was seen in {} server-hours; as rising demand may "
          "revoke all servers at once,\n    its MTTR is {} h or more (95%): at that its "
          "performance is {} and its price {}, which is what the data support.\n",
          each.run.classes, partition_name(each.run.partition), c + 1,
          hours_text(offered.sums.idle_hours), hours_text(bound), percent(useful),
          percent(price(report.pricing.rule, useful)));
    }
  }
  return text.empty() ? text : "\nCaution\n" + text;
}

/// The price of a server-hour of each class, and the worth of its idle time in a month.
std::string money_of_classes(const LoadedTrace& trace, const ClassReport& report) {
  if (!report.on_demand) return "";
  TextTable table;
  table.add_column("classes");
  table.add_column("partition", kLeft);
  table.add_column("class");
  table.add_column("a vCPU-hour");
  table.add_column("a server-hour");
  table.add_column("all of it, a month");
  const double months = hours_of(trace.trace.record.span.length()) / 24 / kDaysPerMonth;
  for (const PartitionReport& each : report.partitions) {
    for (std::size_t c = 0; c < each.table.size(); ++c) {
      const OfferedClass& offered = each.table[c];
      const double vcpu_hour = offered.price * *report.on_demand;
      const double server_hour = vcpu_hour * trace.trace.server_vcpus;
      table.add_row({c == 0 ? std::to_string(each.run.classes) : "",
                     c == 0 ? std::string(partition_name(each.run.partition)) : "",
                     std::to_string(c + 1), fmt::format("{:.4g}", vcpu_hour),
                     fmt::format("{:.4g}", server_hour),
                     money_text(server_hour * offered.sums.idle_hours / months)});
    }
  }
  return fmt::format(
      "\nMoney{}, at {} for a vCPU-hour on demand; a month, were all of it sold\n{}{}",
      report.currency.empty() ? "" : " in " + report.currency, *report.on_demand, table.text(),
      kSoldOnce);
}

std::string class_tables(const LoadedTrace& trace, const ClassReport& report) {
  const double idle = trace.capacity.all().idle_hours;
  TextTable table;
  table.add_column("classes");
  table.add_column("partition", kLeft);
  table.add_column("class");
  for (const char* title :
       {"servers", "MTTR (h)", "95% CI (h)", "availability", "revocations/day", "predictable days",
        "performance", "equilibrium price", "price", "revenue"}) {
    table.add_column(title);
  }
  for (const PartitionReport& each : report.partitions) {
    for (std::size_t c = 0; c < each.table.size(); ++c) {
      const OfferedClass& offered = each.table[c];
      table.add_row(
          {c == 0 ? std::to_string(each.run.classes) : "",
           c == 0 ? std::string(partition_name(each.run.partition)) : "", std::to_string(c + 1),
           fmt::format("{}", offered.sums.servers), hours_text(offered.mttr_hours),
           fmt::format("{} to {}", hours_text(offered.interval.low),
                       hours_text(offered.interval.high)),
           percent(offered.availability), fmt::format("{:.2f}", offered.revocations_per_day),
           offered.predictability ? percent(*offered.predictability) : "-",
           percent(offered.performance), percent(offered.equilibrium_price), percent(offered.price),
           percent(offered.price * offered.sums.idle_hours / idle)});
    }
  }
  return "\nClasses; prices in percent of the on-demand price\n" + table.text();
}

Json class_json(const OfferedClass& offered, double idle_hours) {
  return {{"servers", offered.ranks},
          {"idle_servers", json_of(offered.sums.servers)},
          {"idle_hours", json_of(offered.sums.idle_hours)},
          {"revocations", json_of(offered.sums.revocations)},
          {"mttr_hours", json_of(offered.mttr_hours)},
          {"mttr_hours_low", json_of(offered.interval.low)},
          {"mttr_hours_high", json_of(offered.interval.high)},
          {"availability", json_of(offered.availability)},
          {"revocations_per_day", json_of(offered.revocations_per_day)},
          {"predictability", json_of(offered.predictability)},
          {"performance", json_of(offered.performance)},
          {"equilibrium_price", json_of(offered.equilibrium_price)},
          {"price", json_of(offered.price)},
          {"revenue", json_of(offered.price * offered.sums.idle_hours / idle_hours)}};
}

Json partition_json(const LoadedTrace& trace, const PartitionReport& each) {
  const double idle = trace.capacity.all().idle_hours;
  return {{"classes", each.run.classes},
          {"partition", partition_name(each.run.partition)},
          {"performance", json_of(each.result.performance)},
          {"revenue", json_of(each.result.revenue)},
          {"revenue_of_maximum", json_of(each.result.revenue_of_maximum)},
          {"sizes",
           json_list_of(each.table, [](const OfferedClass& offered) { return offered.ranks; })},
          {"table", json_list_of(each.table, [idle](const OfferedClass& offered) {
             return class_json(offered, idle);
           })}};
}

Json sale_json(const LoadedTrace& trace, const FixedSale& sale, const ClassPricing& pricing) {
  const double idle = trace.capacity.all().idle_hours;
  const double useful = useful_hours(trace.capacity, sale.sold, pricing.checkpoint_hours);
  return {{"sold", sale.name},
          {"performance", json_of(useful / idle)},
          {"revenue", json_of(revenue(trace.capacity, sale.sold, pricing) / idle)}};
}

}  // namespace

ClassReport report_classes(const LoadedTrace& trace, const ClassPricing& pricing,
                           const std::vector<std::size_t>& classes,
                           const std::vector<PartitionRule>& partitions) {
  ClassReport report{.pricing = pricing, .partitions = {}};
  for (const std::size_t count : classes) trace.require_classes(count);
  for (const std::size_t count : classes) {
    for (const PartitionRule rule : partitions) {
      const ClassesRun run{.classes = count, .partition = rule, .pricing = pricing};
      Partition cut = partition(trace.capacity, rule, count, pricing);
      const ClassesResult result = trace.measure(cut, run);
      auto table = class_table(trace.trace.record, trace.capacity, cut, pricing);
      report.partitions.push_back({run, std::move(cut), result, std::move(table)});
    }
  }
  return report;
}

std::string report_text(const LoadedTrace& trace, const ClassReport& report) {
  return heading(trace, report) + overview(trace, report) + class_tables(trace, report) +
         never_revoked(report) + money_of_classes(trace, report);
}

Json report_json(const LoadedTrace& trace, const ClassReport& report) {
  const double idle = trace.capacity.all().idle_hours;
  const double useful = trace.capacity.most_useful_hours(report.pricing);
  const double revenue = trace.capacity.most_revenue(report.pricing);
  return {
      {"trace", trace.trace.label},
      {"servers", trace.trace.record.servers},
      {"server", trace.trace.server_size},
      {"server_vcpus", trace.trace.server_vcpus > 0 ? json_of(trace.trace.server_vcpus) : Json()},
      {"on_demand", json_of(report.on_demand)},
      {"idle_servers", trace.capacity.size()},
      {"idle_hours", json_of(idle)},
      {"mean_mttr_hours", json_of(trace.mean_mttr_hours(report.pricing.mttr))},
      {"mttr", mttr_name(report.pricing.mttr)},
      {"value", value_name(report.pricing.rule)},
      {"checkpoint_minutes", json_of(60 * report.pricing.checkpoint_hours)},
      {"partitions",
       json_list_of(report.partitions,
                    [&](const PartitionReport& each) { return partition_json(trace, each); })},
      {"without_guarantees",
       json_list_of(sales_without_guarantees(report.pricing.checkpoint_hours),
                    [&](const FixedSale& sale) { return sale_json(trace, sale, report.pricing); })},
      {"maximum", {{"performance", json_of(useful / idle)}, {"revenue", json_of(revenue / idle)}}},
      {"note", sold_once_note()}};
}

}  // namespace cospot
