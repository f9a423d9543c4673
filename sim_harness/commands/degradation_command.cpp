#include "sim_harness/commands/degradation_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/commands/window_option.hpp"
#include "sim_harness/engine/allocator.hpp"
#include "sim_harness/engine/datacenter_size.hpp"
#include "sim_harness/engine/degradation.hpp"
#include "sim_harness/files/stored_stream.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/interrupt/stop_token.hpp"
#include "sim_harness/results/revenue_text.hpp"
#include "sim_harness/sweeps/sweep_file.hpp"
#include "sim_harness/sweeps/workload_list.hpp"
#include "sim_harness/workloads/load_workload.hpp"
#include "sim_harness/workloads/window.hpp"

namespace cospot {
namespace {

struct DegradationArguments {
  std::string sweep;
  std::vector<std::string> overrides;
  std::uint64_t seed = 1;
  std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  std::string csv;
  WindowOption window;
};

struct DegradationRow {
  std::size_t hosts = 0;
  DegradationResult result;
};

/// All runs of one workload: headroom slowest, then VM policy, then OTN.
using WorkloadRows = std::vector<DegradationRow>;

using Warnings = std::vector<std::string>;

class DegradationSweep {
 public:
  DegradationSweep(const Sweep& sweep, std::uint64_t seed) : sweep_(sweep), seed_(seed) {
    for (const OfferRule& otn : sweep.otn) {
      if (otn.kind() == OfferRule::Kind::kTopN) continue;
      throw ConfigError("otn: found " + otn.label() +
                        ", expected whole numbers: a VM is placed on one of the first N hosts");
    }
    for (const ChainSpec& vm : sweep.vm) chains_.push_back(make_chain(vm, ChainSide::kVm));
  }

  /// Simulates the workloads, several at once; the result does not depend on how many. `warnings`
  /// gets those of each workload.
  std::vector<WorkloadRows> run(std::size_t threads, std::vector<Warnings>& warnings) {
    std::vector<WorkloadRows> rows(sweep_.workloads.size());
    warnings.resize(rows.size());
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failure;
    const StopToken stop = current_stop_token();
    std::mutex mutex;
    const auto work = [&, stop] {
      const StopScope scope(stop);
      try {
        for (std::size_t i = next++; i < rows.size(); i = next++) {
          rows[i] = run_workload(i, warnings[i]);
        }
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!failure) failure = std::current_exception();
        next = rows.size();
      }
    };
    {
      std::vector<std::jthread> others;
      for (std::size_t i = 1; i < std::min(threads, rows.size()); ++i) others.emplace_back(work);
      work();
    }
    if (failure) std::rethrow_exception(failure);
    return rows;
  }

 private:
  [[nodiscard]] WorkloadRows run_workload(std::size_t index, Warnings& warnings) const {
    const Workload workload = load_workload(sweep_.workloads[index]);
    warnings = window_warnings(workload);
    const EventSchedule vms = make_schedule(workload, ScheduledClasses::kVmsOnly);
    std::vector<std::size_t> least(sweep_.vm.size());
    WorkloadRows rows;
    for (const Headroom& size : sweep_.sizes) {
      for (std::size_t vm = 0; vm < sweep_.vm.size(); ++vm) {
        if (size.percent && least[vm] == 0) {
          least[vm] = smallest_datacenter(workload, vms, sweep_.host, sweep_.vm[vm]).hosts;
        }
        const std::size_t hosts =
            size.percent ? with_headroom(least[vm], *size.percent) : size.hosts;
        for (const OfferRule& otn : sweep_.otn) {
          rows.push_back({hosts, degrade(vms, HostTable::uniform(hosts, sweep_.host), *chains_[vm],
                                         otn.otn(), seed_)});
        }
      }
    }
    return rows;
  }

  const Sweep& sweep_;
  std::uint64_t seed_;
  std::vector<std::shared_ptr<const Chain>> chains_;
};

std::string size_text(const Headroom& size) {
  return size.percent ? fmt::format("{}", *size.percent) : std::string();
}

/// Columns and units: docs/results-format.md.
std::string csv_of(const Sweep& sweep, std::uint64_t seed, const std::vector<WorkloadRows>& all) {
  std::string text =
      "workload,headroom_percent,vm,otn,seed,hosts,vm_requests,vm_rejected,vm_revenue_requested,"
      "vm_revenue\n";
  for (std::size_t workload = 0; workload < all.size(); ++workload) {
    auto row = all[workload].begin();
    for (const Headroom& size : sweep.sizes) {
      for (const ChainSpec& vm : sweep.vm) {
        for (const OfferRule& otn : sweep.otn) {
          text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", sweep.workloads[workload].label,
                              size_text(size), vm.label, otn.otn(), seed, row->hosts,
                              row->result.vm_requests, row->result.vm_rejected,
                              revenue_text(row->result.vm_revenue_requested),
                              revenue_text(row->result.vm_revenue));
          ++row;
        }
      }
    }
  }
  return text;
}

/// VMs rejected, averaged over the workloads: a line for each headroom and VM policy.
std::string table_of(const Sweep& sweep, const std::vector<WorkloadRows>& all) {
  TextTable table;
  table.add_column(sweep.sizes.front().percent ? "headroom" : "hosts");
  table.add_column("VM", TextTable::Align::kLeft);
  for (const OfferRule& otn : sweep.otn) table.add_column("N = " + otn.label());
  std::size_t position = 0;
  for (const Headroom& size : sweep.sizes) {
    for (const ChainSpec& vm : sweep.vm) {
      std::vector<std::string> cells{
          size.percent ? fmt::format("{} %", *size.percent) : std::to_string(size.hosts), vm.label};
      for (std::size_t otn = 0; otn < sweep.otn.size(); ++otn, ++position) {
        double rejected = 0;
        for (const WorkloadRows& rows : all) {
          rejected += static_cast<double>(rows[position].result.vm_rejected);
        }
        cells.push_back(fmt::format("{:.2f}", rejected / static_cast<double>(all.size())));
      }
      table.add_row(std::move(cells));
    }
  }
  return fmt::format(
      "VMs rejected when each is placed on a random one of its first N hosts; mean of {} "
      "workload{}\n{}",
      all.size(), all.size() == 1 ? "" : "s", table.text());
}

void run_degradation(const DegradationArguments& arguments, PolicyLoader& loader) {
  Sweep sweep = read_sweep(arguments.sweep, arguments.overrides, loader);
  state_windows(sweep, arguments.window.window());
  std::vector<Warnings> warnings;
  const auto rows = DegradationSweep(sweep, arguments.seed).run(arguments.threads, warnings);
  for (const Warnings& of_workload : warnings) print_warnings(of_workload);
  if (!arguments.csv.empty()) {
    StoredStream file(arguments.csv);
    file.write(csv_of(sweep, arguments.seed, rows));
    file.commit();
  }
  const std::string table = table_of(sweep, rows);
  if (std::fputs(table.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    throw InputError("standard output cannot be written");
  }
}

}  // namespace

void add_degradation_command(CLI::App& app, PolicyLoader& loader) {
  constexpr std::size_t kMaxThreads = 4096;
  const auto arguments = std::make_shared<DegradationArguments>();
  CLI::App* command = app.add_subcommand(
      "degradation", "Place VMs on a random one of their first N hosts, and count the rejected");
  command
      ->add_option("SWEEP", arguments->sweep,
                   "Sweep file (YAML); its otn is N, spots and evictors play no part")
      ->required();
  command->add_option("--set", arguments->overrides, "Override a key: otn=[1,4], host.vcpus=64")
      ->allow_extra_args(false);
  arguments->window.add_to(*command);
  command->add_option("--seed", arguments->seed, "Seed of the draws")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{std::numeric_limits<std::int64_t>::max()}))
      ->capture_default_str();
  command->add_option("-j,--threads", arguments->threads, "Workloads simulated at once")
      ->check(CLI::Range(std::size_t{1}, kMaxThreads));
  command->add_option("--csv", arguments->csv,
                      "Write a line for every run; packed if it ends in .gz");
  command->callback([arguments, &loader] { run_degradation(*arguments, loader); });
}

}  // namespace cospot
