#include "sim_harness/provider/explain/explain_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/provider/forecasts/true_lifetimes.hpp"

namespace cospot {
namespace {

constexpr std::string_view kNothing = "-";

std::string number(double value) { return fmt::format("{:.9g}", value); }

std::string days(SimTime time) {
  if (time == kNever) return "never";
  return fmt::format("{:.3f}",
                     static_cast<double>(time.count()) / static_cast<double>(kDay.count()));
}

class ExplanationPrinter {
 public:
  ExplanationPrinter(const Explanation& explanation, const Workload& workload, ExplainDetail detail,
                     const SizeWords& words)
      : told_(explanation),
        workload_(workload),
        words_(words),
        has_disk_(explanation.largest_total.disk_gb > 0) {
    const bool all =
        detail == ExplainDetail::kAllHosts || explanation.hosts.size() <= kExplainedHosts;
    for (const ExplainedHost& host : explanation.hosts) {
      const bool is_best = host.rank > 0 && host.rank <= kExplainedHosts;
      if (all || is_best || host.ranked.host == explanation.winner) shown_.push_back(&host);
    }
    if (!explanation.has_placement_filters) return;
    for (std::size_t i = 0; i < explanation.filters.size(); ++i) {
      if (explanation.filter_modes[i] == FilterMode::kDrop) numbered_.push_back(i);
    }
  }

  std::string text() {
    add_request();
    add_drops();
    add_hosts();
    add_evictions();
    text_ += "\n" + explain_sentence(told_, words_) + "\n";
    return std::move(text_);
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  [[nodiscard]] const std::string& id(InstanceIndex instance) const {
    return workload_.rows[instance].id;
  }

  void add_request() {
    const Request& request = told_.request;
    const std::string_view kind = request.is_spot()  ? "spot"
                                  : told_.level == 0 ? "VM"
                                                     : "Economy instance";
    add("{} '{}' asks for {} on day {} ({} s)\n", kind, id(request.instance),
        size_text(words_, request.vcpus, request.memory_mb, request.disk_gb), days(request.time),
        seconds_text(request.time));
    if (request.is_spot()) {
      add("spot chain {}: the first-ranked host gets the spot\n", told_.chain().label);
    } else {
      add("{} chain {}, SAF {}; OTN {}; evictor {}\n", told_.level == 0 ? "VM" : "Economy",
          told_.chain().label, told_.settings.saf_label(), told_.settings.otn.label(),
          told_.settings.evictor.label);
    }
  }

  /// Counts the hosts that were dropped, by the first filter that did and what they lack.
  void add_drops() {
    add("{} hosts, {} feasible\n", told_.hosts.size(), told_.feasible);
    std::map<std::string, std::size_t> counts;
    for (const ExplainedHost& host : told_.hosts) {
      if (host.rank == 0) ++counts[drop_reason(host)];
    }
    for (const auto& [reason, count] : counts) add("  {} dropped by {}\n", count, reason);
  }

  [[nodiscard]] std::string drop_reason(const ExplainedHost& host) const {
    for (std::size_t i = 0; i < told_.filters.size(); ++i) {
      if (host.passes[i] || told_.filter_modes[i] == FilterMode::kPrefer) continue;
      const std::string& name = told_.filters[i];
      if (!told_.needs_room_only) return name;
      const ResourceVector room = told_.request.is_spot() ? host.free : host.free_ignoring_spots;
      const ResourceVector asked = told_.request.resources();
      std::vector<std::string_view> lacking;
      if (asked.vcpus > room.vcpus) lacking.emplace_back(words_.vcpus);
      if (asked.memory_mb > room.memory_mb) lacking.emplace_back("memory");
      if (asked.disk_gb > room.disk_gb) lacking.emplace_back("disk");
      return fmt::format("{}: not enough {}", name, fmt::join(lacking, " and "));
    }
    return "?";
  }

  void add_hosts() {
    TextTable table;
    add_columns(table);
    for (const ExplainedHost* host : shown_) table.add_row(row_of(*host));
    text_ += "\n" + table.text();
    const auto feasible_shown = static_cast<std::size_t>(
        std::ranges::count_if(shown_, [](const ExplainedHost* host) { return host->rank > 0; }));
    if (feasible_shown < told_.feasible) {
      add("... and {} more feasible hosts; --explain-all shows all\n",
          told_.feasible - feasible_shown);
    }
    text_ += "free: beside VMs (beside VMs and spots)\n";
    if (!numbered_.empty()) add_filter_names();
    if (!told_.tiers.empty()) {
      add("tier: {}; 1 = yes, ranks before any weight\n", fmt::join(told_.tiers, ", then "));
    }
    if (told_.weights_are_summed) {
      text_ += "part: the weight normalised to 0..1 among the feasible hosts x its multiplier\n";
    }
  }

  /// Says which filter has which number, on lines of about 100 columns.
  void add_filter_names() {
    constexpr std::size_t kWidth = 100;
    std::string line = "filters:";
    for (std::size_t i = 0; i < numbered_.size(); ++i) {
      const std::string name = fmt::format(" {} {}{}", i + 1, told_.filters[numbered_[i]],
                                           i + 1 < numbered_.size() ? "," : "\n");
      if (line.size() + name.size() > kWidth) {
        text_ += line + "\n";
        line = "        ";
      }
      line += name;
    }
    text_ += line;
  }

  /// The filters that a host does not pass, by their numbers.
  [[nodiscard]] std::string dropping_numbers(const ExplainedHost& host) const {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < numbered_.size(); ++i) {
      if (!host.passes[numbered_[i]]) numbers.push_back(i + 1);
    }
    return numbers.empty() ? std::string(kNothing) : fmt::format("{}", fmt::join(numbers, ", "));
  }

  void add_columns(TextTable& table) {
    table.add_column("host", TextTable::Align::kLeft);
    for (const char* title : {"VMs", "spots"}) table.add_column(title);
    for (const std::string_view name : {words_.vcpus, words_.memory}) {
      table.add_column(fmt::format("free {}", name));
    }
    if (has_disk_) table.add_column(fmt::format("free {}", words_.disk));
    if (!numbered_.empty()) {
      table.add_column("dropped by");
    } else {
      for (const std::string& filter : told_.filters) table.add_column(filter);
    }
    for (const WeigherSpec& weigher : told_.chain().weighers) {
      table.add_column(weigher.name);
      if (told_.weights_are_summed) table.add_column(fmt::format("part x {}", weigher.multiplier));
    }
    if (told_.weights_are_summed) table.add_column("weight");
    if (!told_.tiers.empty()) table.add_column("tier");
    table.add_column("rank");
    if (told_.request.is_spot()) return;
    for (const char* title : {"offer", "evicts", "score"}) table.add_column(title);
  }

  [[nodiscard]] std::vector<std::string> row_of(const ExplainedHost& host) const {
    const auto free = [&](ResourceAmount ResourceVector::*amount) {
      return fmt::format("{} ({})", count_text(host.free_ignoring_spots.*amount),
                         count_text(host.free.*amount));
    };
    const std::string free_vcpus =
        fmt::format("{} ({})", words_.count_of_vcpus(host.free_ignoring_spots.vcpus),
                    words_.count_of_vcpus(host.free.vcpus));
    std::vector<std::string> cells{host.name, std::to_string(host.num_vms),
                                   std::to_string(host.num_spots), free_vcpus,
                                   free(&ResourceVector::memory_mb)};
    if (has_disk_) cells.push_back(free(&ResourceVector::disk_gb));
    if (!numbered_.empty()) {
      cells.push_back(dropping_numbers(host));
    } else {
      for (const bool passes : host.passes) cells.emplace_back(passes ? "pass" : "no");
    }
    const bool is_ranked = host.rank > 0;
    for (std::size_t i = 0; i < told_.chain().weighers.size(); ++i) {
      cells.push_back(is_ranked ? number(host.weights[i]) : std::string(kNothing));
      if (!told_.weights_are_summed) continue;
      cells.push_back(is_ranked ? number(host.parts[i]) : std::string(kNothing));
    }
    if (told_.weights_are_summed) {
      cells.push_back(is_ranked ? number(host.ranked.weight) : std::string(kNothing));
    }
    if (!told_.tiers.empty()) {
      cells.push_back(is_ranked ? fmt::format("{:0{}b}", host.ranked.tiers, told_.tiers.size())
                                : std::string(kNothing));
    }
    cells.push_back(is_ranked ? std::to_string(host.rank) : std::string(kNothing));
    if (!told_.request.is_spot()) add_offer_cells(host, cells);
    return cells;
  }

  static void add_offer_cells(const ExplainedHost& host, std::vector<std::string>& cells) {
    if (host.place_in_offer == 0) {
      cells.insert(cells.end(), 3, std::string(kNothing));
      return;
    }
    cells.push_back(std::to_string(host.place_in_offer));
    cells.push_back(host.has_plan ? std::to_string(host.victims.size()) : "no plan");
    cells.push_back(host.has_plan ? number(host.score) : std::string(kNothing));
  }

  void add_evictions() {
    // Only an oracle knows when a spot would have ended, so only its plans are explained by it.
    const bool knows_ends = needs_true_lifetimes(told_.settings.evictor);
    TextTable table;
    table.add_column("host", TextTable::Align::kLeft);
    table.add_column("spot to go", TextTable::Align::kLeft);
    for (const std::string_view title : {words_.vcpus, words_.memory}) {
      table.add_column(std::string(title));
    }
    if (has_disk_) table.add_column(std::string(words_.disk));
    table.add_column("age, days");
    if (knows_ends) table.add_column("remaining, days");
    for (const ExplainedHost* host : shown_) {
      for (const RunningSpot& spot : host->victims) {
        std::vector<std::string> cells{host->name, id(spot.instance),
                                       words_.count_of_vcpus(spot.resources.vcpus),
                                       count_text(spot.resources.memory_mb)};
        if (has_disk_) cells.push_back(count_text(spot.resources.disk_gb));
        cells.push_back(days(told_.request.time - spot.placed_at));
        if (knows_ends) {
          cells.push_back(
              days(spot.ends_at == kNever ? kNever : spot.ends_at - told_.request.time));
        }
        table.add_row(std::move(cells));
      }
    }
    if (!table.empty()) text_ += "\n" + table.text();
  }

  const Explanation& told_;
  const Workload& workload_;
  SizeWords words_;
  bool has_disk_;
  std::vector<const ExplainedHost*> shown_;
  /// The filters that drop hosts, where there are too many for a column each: with constraints.
  std::vector<std::size_t> numbered_;
  std::string text_;
};

}  // namespace

std::string explanation_text(const Explanation& explanation, const Workload& workload,
                             ExplainDetail detail, const VcpusUnit& unit) {
  return ExplanationPrinter(explanation, workload, detail, size_words(unit)).text();
}

}  // namespace cospot
