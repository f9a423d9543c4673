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

namespace cospot {

/// A price file, availability trace or event log, and the market that it describes.
struct MarketFile {
  enum class Kind : std::uint8_t { kPrices, kAvailability, kEvents };
  Kind kind = Kind::kPrices;
  std::filesystem::path file;
  std::string label;  ///< the path as written
  std::string type;   ///< empty: every type named in the (EC2) file
  std::string os = "Linux/UNIX";
  std::string datacenter;    ///< empty: every datacenter named in the (EC2) file
  MicroUsd price = 0;        ///< while there is capacity, for the last two kinds; 0: the file's
  double gap_seconds = 300;  ///< tick of an event log
};

/// A value of the axis `market`: a set of markets to choose from.
struct MarketSpec {
  std::string label{};
  std::vector<MarketFile> files{};  ///< none: synthetic
  SyntheticMarket synthetic{};
  std::vector<InstanceType> types{};  ///< known properties of types, by name

  /// True if prices end instances in some of its markets; otherwise only capacity does.
  [[nodiscard]] bool has_prices() const {
    return files.empty() || std::ranges::any_of(files, [](const MarketFile& file) {
             return file.kind == MarketFile::Kind::kPrices;
           });
  }
};

/// A list of `{type, os, datacenter, prices: FILE}` is one set of markets; so is `{synthetic:
/// us_east_2011, seed: N}` or `{label, markets: [...]}`, each with `types` of its own; a list of
/// these is several. `types` is the study file's key of that name, or null. Errors: ConfigError.
[[nodiscard]] std::vector<MarketSpec> read_market_specs(const ConfigNode& node,
                                                        const ConfigNode* types,
                                                        const std::filesystem::path& folder);

/// With all defaults written out.
[[nodiscard]] Json setting_json(const MarketSpec& spec);
[[nodiscard]] AxisValue axis_value(const MarketSpec& spec);

/// Loads the markets and adds a record for each file. Errors: WorkloadError; ConfigError for a file
/// whose type is not described.
[[nodiscard]] MarketSet load_markets(const MarketSpec& spec, std::vector<InputRecord>& inputs);

}  // namespace cospot
