#include "sim_harness/studies/provider/given_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/files/path_expansion.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"

namespace cospot {
namespace {

constexpr std::string_view kSubject = "--with";

/// Nothing by itself: all of its keys are those of parts.
const ProviderPreset& no_preset() {
  static const ProviderPreset made{
      .name = "with", .summary = {}, .subject = kSubject, .rows = {}, .measures = {}};
  return made;
}

void require_comparable(const ConfigNode& root) {
  if (const ConfigNode* target = root.find("target")) {
    throw ConfigError(key_place(*target, "target") +
                      ": found where VMs and spots are all that is sold; expected --promise of "
                      "tune, or 'study: sla'");
  }
  if (const ConfigNode* economy = root.find("economy")) {
    throw ConfigError(key_place(*economy, "economy") +
                      ": found where VMs and spots are all that is sold; expected 'study: levels'");
  }
}

ProviderStudySettings read_settings(const ProviderStudy& study, const ConfigNode& root,
                                    const std::filesystem::path& folder) {
  require_comparable(root);
  if (study.parts().empty()) {
    throw ConfigError(fmt::format(
        "{}: found none of the keys disruptions, schedulers, host_subset_size, reserve, "
        "on_eviction",
        key_place(root, kSubject)));
  }
  NoPythonPolicies none;
  ProviderStudySettings settings = study.table().read(
      {.root = root, .folder = folder, .window = std::nullopt, .policies = &none});
  require_one_run(root, study.table().axes(settings));
  return settings;
}

}  // namespace

GivenParts::GivenParts(const ConfigNode& root, const std::filesystem::path& folder)
    : study_(no_preset(), root), settings_(read_settings(study_, root, folder)), folder_(folder) {}

ProviderParts GivenParts::parts(const Workload& workload, RunSettings& settings) const {
  RunOutcome outcome;
  const std::vector<std::any> shared(study_.parts().size());
  return study_.parts_of(study_.first_run(settings_), workload, shared, settings, outcome);
}

LifeResult GivenParts::run(const Workload& workload, const EventSchedule& schedule,
                           RunSettings settings) const {
  ProviderParts made = parts(workload, settings);
  ProviderRun run(workload, schedule, settings, settings.host.table(settings.hosts),
                  std::move(made));
  run.run();
  return run.result();
}

std::string GivenParts::yaml(const std::filesystem::path& folder) const {
  ProviderStudySettings settings = settings_;
  for (LifeSettings& life : settings.lives) {
    for (std::string* name : {&life.failures.name, &life.maintenance.name, &life.resizes.name}) {
      if (!name->empty()) *name = relative_path(folder_ / *name, folder);
    }
  }
  std::string lines;
  for (const GridAxis& axis : study_.table().axes(settings)) {
    lines += fmt::format("{}: {}\n", axis.key, axis.values.front().yaml);
  }
  return lines;
}

Json GivenParts::json() const {
  Json json = study_.table().json(settings_);
  if (!json.contains(kDisruptionsAxis.name)) return json;
  std::vector<InputRecord> files;
  for (const LifeSettings& life : settings_.lives) add_life_files(life, files);
  for (Json& life : json[kDisruptionsAxis.name]) {
    Json with_digests = Json::object();
    for (const auto& [key, value] : life.items()) {
      with_digests[key] = value;
      const auto file = std::ranges::find_if(
          files, [&name = value](const InputRecord& one) { return name == one.label; });
      if (key != "label" && file != files.end()) with_digests[key + "_sha256"] = file->sha256;
    }
    life = std::move(with_digests);
  }
  return json;
}

std::shared_ptr<const GivenParts> given_parts_of(const StudyFile& file) {
  ConfigNode root = file.root;
  root.entries.clear();
  for (const StudyPart& part : study_parts()) {
    const bool is_given = part.classes == WorkloadClasses::kVmsAndSpots && part.read == nullptr;
    if (!is_given || !part.is_asked_for_by(file.root)) continue;
    for (const SettingRow<ProviderStudySettings>& row : part.rows) {
      for (const std::string_view key : row.keys()) {
        const ConfigNode* value = file.root.find(key);
        if (value != nullptr) root.entries.push_back({std::string(key), value->where, *value});
      }
    }
  }
  if (root.entries.empty()) return nullptr;
  if (const ConfigNode* seed = file.root.find("seed")) {
    root.entries.push_back({"seed", seed->where, *seed});
  }
  return std::make_shared<const GivenParts>(root, file.folder);
}

std::shared_ptr<const GivenParts> parse_given_parts(const std::string& text) {
  if (!is_yaml_file(text)) {
    return std::make_shared<const GivenParts>(parse_yaml(text, std::string(kSubject)),
                                              std::filesystem::path());
  }
  const std::filesystem::path file = text;
  return std::make_shared<const GivenParts>(read_yaml_file(file), file.parent_path());
}

std::size_t fewest_hosts_with(const GivenParts& parts, const Workload& workload,
                              const EventSchedule& vms, const HostMix& host, const ChainSpec& vm,
                              std::size_t least) {
  RunSettings settings;
  settings.host = host;
  settings.vm = vm;
  for (std::size_t hosts = least; hosts <= 2 * least; ++hosts) {
    settings.hosts = hosts;
    const LifeResult life = parts.run(workload, vms, settings);
    const bool all_run = life.run.vm_rejected == 0 && life.vms_late == 0 &&
                         life.vms_restarted == 0 && life.vms_lost == 0;
    if (all_run) return hosts;
  }
  throw ConfigError(
      fmt::format("--with: no number of hosts from {} to {} gives every VM a host at every moment; "
                  "expected milder disruptions, or one scheduler",
                  least, 2 * least));
}

}  // namespace cospot
