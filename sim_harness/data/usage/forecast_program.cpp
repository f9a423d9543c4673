#include "sim_harness/data/usage/forecast_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/interrupt/temporary_folder.hpp"
#include "sim_harness/base/processes/python_program.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kPythonMethods{"arima", "ets"};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The folder of stored forecasts; empty: none is stored.
fs::path cache_folder() {
  if (const std::string own = variable("COSPOT_CACHE"); !own.empty()) {
    return fs::path(own) / "forecasts";
  }
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) {
    return fs::path(cache) / "cospot" / "forecasts";
  }
  if (const std::string home = variable("HOME"); !home.empty()) {
    return fs::path(home) / ".cache" / "cospot" / "forecasts";
  }
  return {};
}

fs::path cached_file(const std::string& key) {
  const fs::path folder = cache_folder();
  return folder.empty() ? fs::path() : folder / (key + ".csv");
}

/// Adds the forecast of `key` that was kept. False: there is none that can be used.
bool add_cached(const std::string& key, std::size_t horizon, ForecastTable& known) {
  const fs::path file = cached_file(key);
  std::error_code error;
  if (file.empty() || !fs::exists(file, error)) return false;
  try {
    ForecastTable cached = read_forecasts(file);
    const auto found = cached.find(key);
    if (found == cached.end() || found->second.point.size() != horizon) return false;
    known[key] = std::move(found->second);
    return true;
  } catch (const WorkloadError&) {
    return false;  // a damaged file is made anew
  }
}

void keep(const std::string& key, const ForecastTask& task, const Forecast& forecast) {
  const fs::path file = cached_file(key);
  if (file.empty()) return;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) return;
  try {
    write_stored_file(file, forecast_text(key, task.method, forecast));
  } catch (const WorkloadError&) {
    // A forecast that cannot be stored is computed again next time.
  }
}

void require_known_method(const ForecastTask& task, bool has_file) {
  for (const std::string_view method : kPythonMethods) {
    if (task.method == method) return;
  }
  throw ConfigError(fmt::format(
      "forecaster: found '{}', expected one of: ses, mean, minimum, arima, ets, oracle{}",
      task.method,
      has_file ? "; or a series that the file of forecasts holds (`cospot economy tasks` writes "
                 "what to forecast)"
               : "; or the forecasts of another program in a file"));
}

void run_python(std::span<const ForecastTask> tasks, std::size_t processes, ForecastTable& known) {
  const std::string needs =
      "statsmodels (Debian: python3-statsmodels; in a clone of cospot: `pip install "
      "'.[economy]'`), "
      "or a forecaster that needs no Python: ses, mean, minimum, oracle";
  require_python_module("cospot.provider.economy.ets", needs);
  const TemporaryFolder folder("cospot-economy");
  const fs::path input = folder.path() / "tasks.csv";
  const fs::path output = folder.path() / "forecasts.csv";
  write_stored_file(input, forecast_tasks_text(tasks));
  if (run_python_module(
          "cospot.provider.economy",
          {input.string(), "-o", output.string(), "--processes", fmt::format("{}", processes)},
          needs) != 0) {
    throw ConfigError(
        fmt::format("forecaster: forecasts of {} series cannot be made; what Python "
                    "says is above",
                    tasks.size()));
  }
  ForecastTable made = read_forecasts(output);
  for (const ForecastTask& task : tasks) {
    const std::string key = task.key();
    keep(key, task, made.at(key));
    known[key] = std::move(made.at(key));
  }
}

}  // namespace

ForecastTable forecasts_for(std::span<const ForecastTask> tasks,
                            const std::optional<fs::path>& file, std::size_t processes) {
  const ForecastTable given = file ? read_forecasts(*file) : ForecastTable();
  ForecastTable known;
  std::vector<ForecastTask> missing;
  std::set<std::string> asked;
  for (const ForecastTask& task : tasks) {
    const std::string key = task.key();
    if (!asked.insert(key).second) continue;
    if (const auto found = given.find(key); found != given.end()) {
      if (found->second.point.size() != task.horizon) {
        throw ConfigError(fmt::format("{}: the forecast {} has {} steps, expected {}",
                                      file->string(), key, found->second.point.size(),
                                      task.horizon));
      }
      const double least = std::ranges::min(found->second.point);
      if (least > 1) {
        throw ConfigError(fmt::format(
            "{}: the forecast {} is {} times the capacity or more in every step, expected shares "
            "of the capacity, such as 0.25 for a quarter",
            file->string(), key, least));
      }
      known[key] = found->second;
      continue;
    }
    require_known_method(task, file.has_value());
    if (!add_cached(key, task.horizon, known)) missing.push_back(task);
  }
  if (!missing.empty()) run_python(missing, processes, known);
  return known;
}

}  // namespace cospot
