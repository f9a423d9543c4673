#include "sim_harness/commands/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <thread>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/text/shell_word.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/data/usage/job_usage.hpp"
#include "sim_harness/data/usage/usage_file.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/window.hpp"

namespace cospot {

void WindowOption::add_to(CLI::App& command) {
  command.add_option("--window-days", days_,
                     "Override the window: count revenue and requests up to this day");
}

std::optional<SimTime> WindowOption::window() const {
  if (!days_.has_value()) return std::nullopt;
  if (const std::optional<SimTime> window = parse_window_days(*days_)) return window;
  throw ConfigError(fmt::format("--window-days {}: expected {}", *days_, kWindowDaysExpected));
}

std::string WindowOption::text() const {
  return days_.has_value() ? " --window-days " + *days_ : std::string();
}

CLI::Option* PriceOption::add_to(CLI::App& command) {
  return command
      .add_option("--price", texts_,
                  "Prices of a vCPU-hour: on-demand=P,spot=P[,economy=P][,currency=NAME], or a CSV "
                  "file of prices by flavor; adds amounts of money. host=P: the cost of a host's "
                  "hour, for cospot plan")
      ->allow_extra_args(false);
}

PriceOption PriceOption::or_of(const StudyFile& file) const {
  return texts_.empty() ? PriceOption(read_price_key(file.root, file.folder)) : *this;
}

std::string PriceOption::as_arguments() const {
  std::string text;
  for (const std::string& one : texts_) text += " --price " + shell_word(one);
  return text;
}

std::optional<PriceList> PriceOption::prices() const { return read_price_list(texts_); }

std::optional<VcpuHourPrices> PriceOption::of(const Workload& workload,
                                              const WorkloadSpec& spec) const {
  const std::optional<PriceList> list = prices();
  if (!list) return std::nullopt;
  return list->of(workload, vcpus_unit_of(spec));
}

VcpuHourPrices vcpu_hour_prices(const PriceList& list, const WorkloadSpec& spec) {
  if (list.flavors.empty()) return list.vcpu_hour;
  const std::filesystem::path& file = spec.file;
  if (spec.is_file() && (is_yaml_file(file) || is_usage_file(file) || is_job_log_file(file))) {
    throw ConfigError(
        fmt::format("--price: {} has prices by flavor, and {} no flavors; expected "
                    "on-demand=PRICE,spot=PRICE[,economy=PRICE] of a vCPU-hour",
                    list.source, file.string()));
  }
  return list.of_vcpu_hour(load_workload(spec), vcpus_unit_of(spec));
}

void TimingOption::add_to(CLI::App& command, const std::string& help) {
  command.add_option("--timing", text_, help)
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
}

std::size_t threads_of_machine() { return std::max(1U, std::thread::hardware_concurrency()); }

CLI::Option* add_threads_option(CLI::App& command, std::size_t& threads, const std::string& help) {
  constexpr std::size_t kMost = 4096;
  return command.add_option("-j,--threads", threads, help)
      ->check(CLI::Range(std::size_t{1}, kMost));
}

void add_seed_option(CLI::App& command, std::uint64_t& seed, const std::string& help) {
  command.add_option("--seed", seed, help)
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{std::numeric_limits<std::int64_t>::max()}))
      ->capture_default_str();
}

void add_set_option(CLI::App& command, std::vector<std::string>& overrides,
                    const std::string& help) {
  command.add_option("--set", overrides, help)->allow_extra_args(false);
}

CLI::Option* add_json_flag(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "Print JSON (docs/json.md)");
}

void add_schema_option(CLI::App& command, std::string& schema) {
  command
      .add_option("--schema", schema,
                  "Schema to write: cospot (its own) or socc22 (the CoSpot release's)")
      ->capture_default_str();
}

CLI::Option* add_output_option(CLI::App& command, std::string& output) {
  return command.add_option("-o,--output", output,
                            "File to write; gzip-compressed if it ends in .gz");
}

CLI::Validator number_between(double least, double most) {
  const auto check = [least, most](std::string& text) -> std::string {
    const std::optional<double> value = parse_number(text);
    if (value && *value >= least && *value <= most) return {};
    return fmt::format("found '{}', expected a number from {} to {}", text, least, most);
  };
  return {check, fmt::format("FLOAT in [{} - {}]", least, most)};
}

}  // namespace cospot
