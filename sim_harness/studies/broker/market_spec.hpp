#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/markets/market.hpp"
#include "sim_harness/data/markets/synthetic_market.hpp"
#include "sim_harness/experiments/results/experiment_record.hpp"
#include "sim_harness/studies/signals/signals_input.hpp"

namespace cospot {

/// One price file, availability trace or event log, and what it is the market of.
struct MarketFile {
  enum class Kind : std::uint8_t { kPrices, kAvailability, kEvents };
  Kind kind = Kind::kPrices;
  std::filesystem::path file;
  std::string label;  ///< the path as written
  std::string type;   ///< empty: every type that the file (of EC2) names
  std::string os = "Linux/UNIX";
  std::string datacenter;    ///< empty: every one that the file (of EC2) names
  MicroUsd price = 0;        ///< while there is capacity, of the last two kinds; 0: the file's
  double gap_seconds = 300;  ///< a tick of an event log
};

/// A value of the axis `market`: a set of markets to choose from.
struct MarketSpec {
  std::string label{};
  std::vector<MarketFile> files{};  ///< none: synthetic
  SyntheticMarket synthetic{};
  std::vector<InstanceType> types{};  ///< what is known of types, by name

  /// Whether a price ends instances in some of its markets; else only capacity does.
  [[nodiscard]] bool has_prices() const {
    return files.empty() || std::ranges::any_of(files, [](const MarketFile& file) {
             return file.kind == MarketFile::Kind::kPrices;
           });
  }
};

/// A list of `{type, os, datacenter, prices: FILE}` is one set; `{synthetic: us_east_2011, seed:
/// N}` and `{label, markets: [...]}` are one each, and a list of these several. `types`: the key of
/// that name of the study file, or null. Errors: ConfigError.
[[nodiscard]] std::vector<MarketSpec> read_market_specs(const ConfigNode& node,
                                                        const ConfigNode* types,
                                                        const std::filesystem::path& folder);

/// With every default written out.
[[nodiscard]] Json setting_json(const MarketSpec& spec);
[[nodiscard]] AxisValue axis_value(const MarketSpec& spec);

/// Loads the markets; adds a record for each file. With `signals`, traces of availability are told
/// what these say of their flavor. Errors: WorkloadError; ConfigError for a file whose type nobody
/// describes, or of which the signals tell nothing.
[[nodiscard]] MarketSet load_markets(const MarketSpec& spec, std::vector<InputRecord>& inputs,
                                     const std::optional<SignalsInput>& signals = std::nullopt);

}  // namespace cospot
