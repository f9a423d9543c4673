#include "sim_harness/studies/stored_prices.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/imports/workload_list.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"

namespace cospot {
namespace {

/// A workload of which there are runs.
struct StoredWorkload {
  std::string label;
  std::string sha256;
  Json json;  ///< as the stored configuration has it
};

std::vector<StoredWorkload> workloads_in(ResultsDatabase& results) {
  SqliteStatement select(results.connection(),
                         "SELECT workload, sha256, position FROM run"
                         " JOIN input ON input.label = workload AND input.key = ''"
                         " JOIN axis_value ON axis = 'workload' AND axis_value.label = workload"
                         " GROUP BY workload ORDER BY min(run_index)");
  const Json configuration = parse_json(results.record().configuration, results.name());
  std::vector<StoredWorkload> workloads;
  while (select.step()) {
    StoredWorkload stored{.label = select.read_text(), .sha256 = {}, .json = {}};
    stored.sha256 = select.read_text();
    const auto position = static_cast<std::size_t>(select.read_integer());
    const auto all = configuration.find("workloads");
    if (all != configuration.end() && position < all->size()) stored.json = all->at(position);
    workloads.push_back(std::move(stored));
  }
  return workloads;
}

constexpr std::string_view kInstead =
    "give prices of a vCPU-hour, as `cospot workload info WORKLOAD --price {}` tells them";

[[noreturn]] void fail(const PriceList& list, const std::string& label, const std::string& why) {
  throw ConfigError(
      fmt::format("{}: prices by flavor need the requests of the workload '{}', which {}; {}",
                  list.source, label, why, fmt::format(fmt::runtime(kInstead), list.source)));
}

/// A workload of a stored configuration; its file is in this folder or beside the database.
WorkloadSpec spec_of(const StoredWorkload& stored, const PriceList& list,
                     const std::filesystem::path& database) {
  const std::filesystem::path here = std::filesystem::current_path();
  const std::filesystem::path beside = std::filesystem::absolute(database).parent_path();
  for (const std::filesystem::path& folder : {here, beside}) {
    try {
      return read_workloads(parse_yaml(compact_json(stored.json), database.string()), folder)
          .front();
    } catch (const ConfigError&) {
      // It may be in the next folder.
    }
  }
  const std::string folders =
      here == beside ? here.string() : fmt::format("{} and {}", here.string(), beside.string());
  fail(list, stored.label, fmt::format("is not in {}", folders));
}

}  // namespace

void require_prices_for(const StudyRegistry& studies, const PriceList& list, std::string_view study,
                        const std::string& where) {
  const Study& priced = require_priced(studies, study, where);
  if (list.flavors.empty() || priced.money(priced.schema()).takes_flavors) return;
  throw ConfigError(fmt::format(
      "{}: the study {} takes no prices by flavor; expected on-demand=PRICE and spot=PRICE of a "
      "vCPU-hour",
      list.source, study));
}

WorkloadPrices prices_of_results(const StudyRegistry& studies, const PriceList& list,
                                 ResultsDatabase& results) {
  require_prices_for(studies, list, results.schema().study, results.name());
  WorkloadPrices prices{
      .vcpu_hour = list.vcpu_hour, .source = list.source, .currency = list.currency};
  if (list.flavors.empty()) return prices;
  for (const StoredWorkload& stored : workloads_in(results)) {
    const WorkloadSpec spec = spec_of(stored, list, results.name());
    const Workload workload = load_workload(spec, WorkloadClasses::kWithEconomy);
    if (workload.sha256 != stored.sha256) {
      fail(list, stored.label,
           fmt::format("is another one now than that of the results ({})", results.name()));
    }
    prices.add(list, workload, vcpus_unit_of(spec));
  }
  return prices;
}

void keep_prices(ResultsDatabase& results, const WorkloadPrices& prices) {
  SqliteConnection& connection = results.connection();
  SqliteTransaction transaction(connection);
  connection.execute("DROP TABLE IF EXISTS price");
  connection.execute(
      "CREATE TABLE price (workload TEXT, on_demand REAL, spot REAL, economy REAL, currency TEXT,"
      " source TEXT)");
  SqliteStatement insert(connection, "INSERT INTO price VALUES (?, ?, ?, ?, ?, ?)");
  const auto add = [&](const std::string* workload, const VcpuHourPrices& vcpu_hour) {
    workload != nullptr ? insert.bind(*workload) : insert.bind_null();
    insert.bind(vcpu_hour.on_demand).bind(vcpu_hour.spot);
    vcpu_hour.economy ? insert.bind(*vcpu_hour.economy) : insert.bind_null();
    insert.bind(prices.currency).bind(prices.source);
    insert.step();
  };
  if (!prices.is_by_flavor()) add(nullptr, prices.vcpu_hour);
  for (const auto& [workload, vcpu_hour] : prices.by_workload) add(&workload, vcpu_hour);
  transaction.commit();
}

std::optional<WorkloadPrices> kept_prices(ResultsDatabase& results) {
  SqliteStatement table(results.connection(), "SELECT 1 FROM sqlite_master WHERE name = 'price'");
  if (!table.step()) return std::nullopt;
  SqliteStatement select(results.connection(),
                         "SELECT workload, on_demand, spot, economy, currency, source FROM price");
  WorkloadPrices prices;
  while (select.step()) {
    const bool is_of_any = select.next_is_null();
    const std::string workload = select.read_text();
    VcpuHourPrices vcpu_hour{.on_demand = select.read_number()};
    vcpu_hour.spot = select.read_number();
    const bool has_economy = !select.next_is_null();
    const double economy = select.read_number();
    if (has_economy) vcpu_hour.economy = economy;
    prices.currency = select.read_text();
    prices.source = select.read_text();
    (is_of_any ? prices.vcpu_hour : prices.by_workload[workload]) = vcpu_hour;
  }
  return prices;
}

}  // namespace cospot
