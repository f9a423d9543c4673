#pragma once

#include <filesystem>
#include <string>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/studies/broker/broker_figures.hpp"
#include "sim_harness/studies/broker/broker_settings.hpp"

namespace cospot {

/// Reads a study file and requires the study `broker`; `where` names the file in errors. Errors:
/// ConfigError.
[[nodiscard]] BrokerStudySettings require_broker_study(
    const ConfigNode& root, const std::filesystem::path& folder, const std::string& where,
    const BrokerStudySettings& defaults = paper_defaults());

/// Simulates the single run that the settings describe; logs its events to `events` unless that is
/// empty. Errors: ConfigError if an axis has more than one value, WorkloadError, InputError.
[[nodiscard]] BrokerFigures run_single(const BrokerStudySettings& settings,
                                       const std::string& where,
                                       const std::filesystem::path& events);

/// All measures of a run, one per line, with units.
[[nodiscard]] std::string result_text(const BrokerFigures& figures);
/// The same as one JSON object.
[[nodiscard]] Json result_json(const BrokerFigures& figures);

}  // namespace cospot
