#include "sim_harness/studies/broker/single_run.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <iterator>
#include <optional>
#include <variant>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/files/stored_stream.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/base/tables/separated_fields.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/studies/broker/broker_run_at.hpp"

namespace cospot {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

/// `-0.026000`: exact.
std::string exact_usd(MicroUsd amount) {
  return fmt::format("{}{}.{:06d}", amount < 0 ? "-" : "", std::abs(amount / kUsd),
                     std::abs(amount % kUsd));
}

/// Writes all events of a broker's run as CSV (docs/broker.md), gzip-compressed if the name ends in
/// `.gz`. The sum of `amount_usd` is exactly the run's cost.
///
/// Errors: InputError when the file cannot be written.
class BrokerLog final : public BrokerObserver {
 public:
  /// `markets` are those of the run and must outlive the log.
  BrokerLog(const std::filesystem::path& file, const MarketSet& markets)
      : markets_(&markets), stream_(file) {}

  void happened(const Event& event) override {
    const auto out = std::back_inserter(buffer_);
    fmt::format_to(out, "{},{},", event.time, event.what);
    if (event.lease >= 0) fmt::format_to(out, "{}", event.lease);
    buffer_ += ',';
    if (event.market != kNoMarket) {
      buffer_ += csv_field(markets_->markets[event.market].name);
    }
    buffer_ += ',';
    if (event.job >= 0) fmt::format_to(out, "{}", event.job);
    buffer_ += ',';
    if (event.bid > 0 && event.bid < kNoCapacityPrice) buffer_ += exact_usd(event.bid);
    buffer_ += ',';
    if (event.amount != 0) buffer_ += exact_usd(event.amount);
    buffer_ += '\n';
    if (buffer_.size() < kBufferBytes) return;
    stream_.write(buffer_);
    buffer_.clear();
  }

  /// Ends the log and gives the file its final name.
  void finish() {
    stream_.write(buffer_);
    stream_.commit();
  }

 private:
  const MarketSet* markets_;
  StoredStream stream_;
  std::string buffer_ = "time_s,event,lease,market,job,bid_usd,amount_usd\n";
};

/// The keys of the axes of which a file gives more than one value.
std::string wide_axes(const BrokerStudySettings& settings) {
  std::string wide;
  for (const GridAxis& axis : broker_table().axes(settings)) {
    if (axis.values.size() > 1) wide += (wide.empty() ? "" : ", ") + axis.key;
  }
  return wide;
}

}  // namespace

BrokerStudySettings require_broker_study(const ConfigNode& root,
                                         const std::filesystem::path& folder,
                                         const std::string& where,
                                         const BrokerStudySettings& defaults) {
  const ConfigNode* study = root.find("study");
  if (study == nullptr || study->text != "broker") {
    throw ConfigError(where + ": expected a study file with study: broker");
  }
  return read_broker_settings(root, folder, defaults);
}

BrokerFigures run_single(const BrokerStudySettings& settings, const std::string& where,
                         const std::filesystem::path& events) {
  if (const std::string wide = wide_axes(settings); !wide.empty()) {
    throw ConfigError(where + ": more than one value of: " + wide +
                      "; expected one run: choose with --set, or use cospot compare for all");
  }
  const BrokerInputs inputs = load_broker_inputs(settings);
  std::optional<BrokerLog> log;
  if (!events.empty()) log.emplace(events, inputs.markets.front());
  const Coordinates at(broker_table().columns().size(), 0);
  const BrokerResult result = run_broker_at(settings, inputs, at, false, log ? &*log : nullptr);
  if (log) log->finish();
  OnDemandBaseline on_demand(settings, inputs);
  return figures_of(result, on_demand.of(at).runs.front());
}

std::string result_text(const BrokerFigures& figures) {
  TextTable table;
  table.add_column("measure", TextTable::Align::kLeft);
  table.add_column("value");
  table.add_column("unit", TextTable::Align::kLeft);
  for (const Measure<BrokerFigures>& one : broker_measures()) {
    const Value value = one.read(figures);
    const auto* number = std::get_if<double>(&value);
    table.add_row(
        {one.column.name,
         number != nullptr ? fmt::format("{:.5g}", *number) : csv_value(one.column, value),
         one.column.unit});
  }
  return table.text();
}

Json result_json(const BrokerFigures& figures) {
  Json json = Json::object();
  for (const Measure<BrokerFigures>& one : broker_measures()) {
    json[one.column.name] = json_of(one.column, one.read(figures));
  }
  return json;
}

}  // namespace cospot
