#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "evictors/lifetime_evictor.hpp"
#include "guarantees/lifetime_model_file.hpp"
#include "guarantees/lifetime_predictor.hpp"
#include "guarantees/predictor_file.hpp"
#include "sim_harness/base/files/output_file.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/interrupt/temporary_folder.hpp"
#include "sim_harness/base/processes/python_program.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/prepared_evictor.hpp"

namespace cospot {
namespace {

constexpr double kMicroseconds = 1e6;

double expected_life_s(const LifetimePredictor& predictor, const SpotTraits& traits) {
  const RunningSpot spot{
      .instance = traits.instance, .resources = traits.resources, .placed_at = traits.requested_at};
  SimTime expected{0};
  // As far as LPML counts it without a stated horizon.
  constexpr SimTime kHorizon = LpmlEvictor::kDefaultHorizonDay * kDay;
  constexpr SimTime kLookahead = LpmlEvictor::kLeastLookaheadDays * kDay;
  predictor.predict({&spot, 1}, traits.requested_at,
                    std::max(kHorizon, traits.requested_at + kLookahead), {&expected, 1});
  return static_cast<double>(expected.count()) / kMicroseconds;
}

/// The spots of a workload in order of arrival as CSV, as training data: instance_id, vcpus,
/// memory_mb, disk_gb, requested_s, ended_s, previous_lifetime_s (the last two are "never" if
/// unknown). With a predictor also expected_life_s: the expected life at the request, counted to
/// day 90.
std::string spot_table_csv(const Workload& workload, const LifetimePredictor* predictor) {
  const std::vector<SpotTraits> spots = read_spot_traits(workload, make_schedule(workload));
  std::shared_ptr<const LifetimePredictor> prepared;
  if (predictor != nullptr) prepared = predictor->prepared_for([&spots] { return spots; });
  if (prepared != nullptr) predictor = prepared.get();
  std::string text = "instance_id,vcpus,memory_mb,disk_gb,requested_s,ended_s,previous_lifetime_s";
  if (predictor != nullptr) text += ",expected_life_s";
  text += "\n";
  for (const SpotTraits& traits : spots) {
    const WorkloadRow& row = workload.rows[traits.instance];
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{}", row.id, row.resources.vcpus,
                   row.resources.memory_mb, row.resources.disk_gb, seconds_text(row.start),
                   seconds_text(row.end), seconds_text(traits.previous_lifetime));
    if (predictor != nullptr) {
      fmt::format_to(std::back_inserter(text), ",{:.6f}", expected_life_s(*predictor, traits));
    }
    text += "\n";
  }
  return text;
}

namespace fs = std::filesystem;

constexpr const char* kModule = "cospot.lifetime";
constexpr double kMostDays = 10'000;
constexpr const char* kWatchedHelp =
    "Day on which observation stopped: later ends are unknown (default: 90 for the release's "
    "schema "
    "and for workload specs, otherwise the end of the window that the file states, or its latest "
    "time)";
constexpr const char* kWorkloadHelp =
    "Workload file, or a workload spec: azure2020:seed=1:scale=0.01";

struct SpotsArguments {
  std::string workload;
  std::optional<std::string> model;
  std::string output;
  WindowOption window;
};

struct TrainArguments {
  std::vector<std::string> workloads;
  std::string output;
  std::string kind = "network";
  double days = 3;
  std::optional<double> observed_until;
  // Python has the defaults; they differ by kind.
  std::optional<std::uint32_t> seed;
  std::optional<unsigned> hidden;
  std::optional<unsigned> epochs;
  std::optional<std::string> by;
  std::optional<double> least_share;
  WindowOption window;
};

struct EvalArguments {
  std::vector<std::string> workloads;
  std::optional<std::string> model;
  std::string output;
  double days = 3;
  std::optional<double> observed_until;
  WindowOption window;
};

/// The day on which watching the workload stopped. The release and the workload made after it were
/// watched to day 90; of another file only its latest time is known.
double last_watched_day(const WorkloadSpec& spec, const Workload& workload) {
  constexpr double kReleaseWatchedUntil = 90;
  if (spec.synthetic || read_workload_schema(spec.file) == WorkloadSchema::kSocc22) {
    return kReleaseWatchedUntil;
  }
  // Whoever states a window says that it was observed.
  SimTime latest = workload.window_is_stated ? workload.window : SimTime(0);
  for (const WorkloadRow& row : workload.rows) {
    latest = std::max({latest, row.start, row.end == kNever ? row.start : row.end});
  }
  return static_cast<double>(latest.count()) / kMicrosecondsPerDay;
}

Workload load(const std::string& text, const std::optional<SimTime>& window) {
  WorkloadSpec spec = parse_workload_spec(text);
  spec.window = window;
  return load_workload(spec);
}

/// The arguments that tell Python of spots: options that name their files, and the observed time.
struct TransferredSpots {
  std::vector<std::string> options{};
  SimTime window = kMaxWorkloadTime;  ///< the least of the workloads
};

/// Writes the spots of every workload. The options say until which day they were watched too:
/// `observed_until`, or all of them, if it is not given.
TransferredSpots transfer_spots(const std::vector<std::string>& workloads,
                                std::optional<double> observed_until,
                                const std::optional<SimTime>& window,
                                const TemporaryFolder& folder) {
  TransferredSpots spots;
  std::vector<std::string>& options = spots.options;
  double first_to_stop = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const WorkloadSpec spec = parse_workload_spec(workloads[i]);
    const Workload workload = load(workloads[i], window);
    spots.window = std::min(spots.window, workload.window);
    const fs::path file = folder.path() / fmt::format("spots-{}.csv", i);
    write_stored_file(file, spot_table_csv(workload, nullptr));
    options.insert(options.end(), {"--spots", file.string(), "--name", workload.name});
    if (!observed_until) first_to_stop = std::min(first_to_stop, last_watched_day(spec, workload));
  }
  options.insert(options.end(),
                 {"--observed-until", fmt::format("{}", observed_until.value_or(first_to_stop))});
  return spots;
}

void write_spots(const SpotsArguments& arguments) {
  require_usable_output("-o", arguments.output, {arguments.workload, arguments.model.value_or("")});
  std::shared_ptr<const LifetimePredictor> predictor;
  if (arguments.model.has_value()) {
    predictor = *arguments.model == "built-in"
                    ? read_predictor(KnownLifetimes::kPredicted, "")
                    : read_predictor(model_kind(*arguments.model), *arguments.model);
  }
  const Workload workload = load(arguments.workload, arguments.window.window());
  write_stored_file(arguments.output, spot_table_csv(workload, predictor.get()));
}

int train(const TrainArguments& arguments) {
  require_usable_output("-o", arguments.output,
                        {arguments.workloads.begin(), arguments.workloads.end()});
  const TemporaryFolder folder("cospot-lifetime");
  std::vector<std::string> command{"train"};
  for (std::string& option : transfer_spots(arguments.workloads, arguments.observed_until,
                                            arguments.window.window(), folder)
                                 .options) {
    command.push_back(std::move(option));
  }
  command.insert(command.end(), {"-o", arguments.output, "--kind", arguments.kind, "--days",
                                 fmt::format("{}", arguments.days)});
  const auto pass = [&](const char* option, const auto& value) {
    if (value) command.insert(command.end(), {option, fmt::format("{}", *value)});
  };
  pass("--seed", arguments.seed);
  pass("--hidden", arguments.hidden);
  pass("--epochs", arguments.epochs);
  pass("--by", arguments.by);
  pass("--least-share", arguments.least_share);
  return run_python_module(kModule, command);
}

int evaluate(const EvalArguments& arguments) {
  const TemporaryFolder folder("cospot-lifetime");
  std::string model = folder.path() / "built-in-model.txt";
  if (arguments.model.has_value()) {
    model = *arguments.model;
    (void)read_predictor(model_kind(model), model);  // its errors name the line
  } else {
    write_stored_file(model, built_in_lifetime_model_text());
  }
  std::vector<std::string> command{"eval"};
  const TransferredSpots spots = transfer_spots(arguments.workloads, arguments.observed_until,
                                                arguments.window.window(), folder);
  command.insert(command.end(), spots.options.begin(), spots.options.end());
  command.insert(command.end(), {"--model", model, "-o", arguments.output, "--days",
                                 fmt::format("{}", arguments.days), "--window-days",
                                 window_days_text(spots.window)});
  return run_python_module(kModule, command);
}

void add_spots(CLI::App& lifetime) {
  const auto arguments = std::make_shared<SpotsArguments>();
  CLI::App* command = lifetime.add_subcommand(
      "spots", "Write the spots of a workload with what is known of each at its request");
  command->add_option("WORKLOAD", arguments->workload, kWorkloadHelp)->required();
  command->add_option("--model", arguments->model,
                      "Add the remaining life predicted by this model (a file, or built-in)");
  command->add_option("-o,--output", arguments->output, "CSV file to write")->required();
  arguments->window.add_to(*command);
  command->callback([arguments] { write_spots(*arguments); });
}

void add_train(CLI::App& lifetime, int& exit_code) {
  const auto arguments = std::make_shared<TrainArguments>();
  CLI::App* command =
      lifetime.add_subcommand("train", "Train a lifetime model for the evictors LPML and LPKM");
  command->add_option("WORKLOAD", arguments->workloads, kWorkloadHelp)->required();
  command->add_option("-o,--output", arguments->output, "Model file to write")->required();
  command->add_option("--days", arguments->days, "Train on these first days of the window")
      ->check(number_between(0, kMostDays))
      ->capture_default_str();
  command->add_option("--observed-until,--watched-until", arguments->observed_until, kWatchedHelp)
      ->check(number_between(0, kMostDays));
  arguments->window.add_to(*command);
  command
      ->add_option("--kind", arguments->kind,
                   "network (for LPML), or kaplan-meier: survival curves (for LPKM)")
      ->check(CLI::IsMember({"network", "kaplan-meier"}))
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "network: random seed (default: 1)");
  command->add_option("--hidden", arguments->hidden, "network: hidden units (default: 16)")
      ->check(CLI::Range(1, 4096));
  command
      ->add_option("--epochs", arguments->epochs,
                   "network: passes over the training data (default: 15)")
      ->check(CLI::Range(1, 100'000));
  command
      ->add_option("--by", arguments->by,
                   "kaplan-meier: a curve for each spot type (flavor) or one for all")
      ->check(CLI::IsMember({"flavor", "all"}));
  command
      ->add_option("--least-share", arguments->least_share,
                   "kaplan-meier: leave out ages at which fewer of the spots were seen, %")
      ->check(number_between(0, 100));
  command->callback([arguments, &exit_code] { exit_code = train(*arguments); });
}

void add_eval(CLI::App& lifetime, int& exit_code) {
  const auto arguments = std::make_shared<EvalArguments>();
  CLI::App* command = lifetime.add_subcommand(
      "eval", "Compare a model's predictions with the spots that came after its training days");
  command->add_option("WORKLOAD", arguments->workloads, kWorkloadHelp)->required();
  command->add_option("--model", arguments->model, "Model file (default: the built-in one)");
  command->add_option("-o,--output", arguments->output, "Folder to write the table and plot to")
      ->required();
  command->add_option("--days", arguments->days, "Skip these first days")
      ->check(number_between(0, kMostDays))
      ->capture_default_str();
  command->add_option("--observed-until,--watched-until", arguments->observed_until, kWatchedHelp)
      ->check(number_between(0, kMostDays));
  arguments->window.add_to(*command);
  command->callback([arguments, &exit_code] { exit_code = evaluate(*arguments); });
}

}  // namespace

void add_lifetime_commands(CLI::App& app, int& exit_code) {
  CLI::App* lifetime =
      app.add_subcommand("lifetime", "Learn how long spots live, for the evictors LPML and LPKM");
  lifetime->require_subcommand(1);
  add_spots(*lifetime);
  add_train(*lifetime, exit_code);
  add_eval(*lifetime, exit_code);
}

}  // namespace cospot
