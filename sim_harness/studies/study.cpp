#include "sim_harness/studies/study.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/errors.hpp"
#include "core/nearest_name.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/named_files.hpp"

namespace cospot {
namespace {

constexpr std::string_view kDefaultStudy = "compare";

/// Applies an override; of the two keys that exclude each other the last one stays.
void override_key(ConfigNode& root, const std::string& assignment) {
  apply_override(root, assignment);
  const auto drop = [&root](std::string_view key) {
    std::erase_if(root.entries, [key](const ConfigEntry& entry) { return entry.key == key; });
  };
  if (assignment.starts_with("hosts=")) drop("headroom_percent");
  if (assignment.starts_with("headroom_percent=")) drop("hosts");
}

/// The study's own summary, if it has one.
std::optional<StudySummary> own_summary(const Study* study, ResultsDatabase& results,
                                        Timing timing) {
  if (study == nullptr) return std::nullopt;
  if (study->summarise) return study->summarise(results, timing);
  if (study->figures) return summary_of_figures(results, study->figures(results.schema()));
  return std::nullopt;
}

}  // namespace

const Study* StudyRegistry::find(std::string_view name) const {
  for (const Study& study : studies_) {
    if (study.name == name) return &study;
  }
  return nullptr;
}

const Study& StudyRegistry::chosen_by(const ConfigNode& root) const {
  const ConfigNode* key = root.find("study");
  const std::string name = key == nullptr ? std::string(kDefaultStudy) : read_text(*key, "study");
  if (const Study* study = find(name)) return *study;
  std::vector<std::string_view> names;
  for (const Study& study : studies_) names.push_back(study.name);
  throw ConfigError(fmt::format("{}: unknown study '{}'; {}", key_place(*key, "study"), name,
                                valid_names_text(name, names)));
}

std::vector<std::string_view> StudyRegistry::provider_names() const {
  std::vector<std::string_view> names;
  for (const Study& one : studies_) {
    if (one.provider != nullptr) names.push_back(one.name);
  }
  return names;
}

const ProviderPreset& StudyRegistry::preset_of(const ConfigNode& root) const {
  const Study& study = chosen_by(root);
  if (study.provider != nullptr) return *study.provider;
  throw_bad_value(*root.find("study"), "study",
                  fmt::format("one whose runs are of a provider's datacenter: {}",
                              fmt::join(provider_names(), ", ")));
}

LoadExperiment read_experiment(const StudyRegistry& studies, const StudyFile& file) {
  const Study& study = studies.chosen_by(file.root);
  if (file.keeps_timeline && study.provider == nullptr) {
    throw ConfigError(
        fmt::format("timeline: runs of the study '{}' are not of a provider's datacenter; "
                    "expected one of: {}",
                    study.name, fmt::join(studies.provider_names(), ", ")));
  }
  return study.read(file);
}

ConfigNode with_overrides(ConfigNode root, const std::vector<std::string>& overrides) {
  for (const std::string& assignment : overrides) override_key(root, assignment);
  return root;
}

namespace {

/// Says what another file is, instead of listing the keys of a study.
void require_study(const ConfigNode& root, const std::filesystem::path& path) {
  const bool is_empty = root.kind == ConfigNode::Kind::kNull;
  const bool is_table = root.kind != ConfigNode::Kind::kMapping &&
                        path.filename().string().find(".csv") != std::string::npos;
  if (!is_empty && !is_table) return;
  throw ConfigError(
      fmt::format("{}: {}; expected a study file (YAML), which names workloads, hosts and policies "
                  "(docs/sweep-file.md)",
                  path.string(), is_empty ? "holds no keys" : "looks like a table (CSV)"));
}

}  // namespace

StudyFile read_study_file(const std::filesystem::path& path,
                          const std::vector<std::string>& overrides, std::optional<SimTime> window,
                          PolicyLoader& policies) {
  policies.search_first(path.parent_path());
  ConfigNode root = read_yaml_file(path);
  if (overrides.empty()) require_study(root, path);
  return {.root = with_overrides(std::move(root), overrides),
          .folder = path.parent_path(),
          .window = window,
          .policies = &policies};
}

std::vector<std::filesystem::path> files_of_study(const std::filesystem::path& path,
                                                  const StudyFile& file) {
  std::vector<std::filesystem::path> files = files_named_in(file.root, file.folder);
  files.push_back(path);
  return files;
}

ResultsDatabase open_results(const StudyRegistry& studies, const std::filesystem::path& file) {
  ResultsDatabase results(file);
  const Study* study = studies.find(results.schema().study);
  if (study != nullptr) results.require_columns(study->schema());
  return results;
}

const Study& require_priced(const StudyRegistry& studies, std::string_view study,
                            const std::string& where) {
  const Study* found = studies.find(study);
  if (found != nullptr && found->money) return *found;
  std::vector<std::string_view> names;
  for (const Study& one : studies.all()) {
    if (one.money) names.push_back(one.name);
  }
  throw ConfigError(fmt::format("{}: the study {} takes no prices; expected one that does: {}",
                                where, study, fmt::join(names, ", ")));
}

StudyMoney require_money(const StudyRegistry& studies, ResultsDatabase& results) {
  const Schema& schema = results.schema();
  return require_priced(studies, schema.study, results.name()).money(schema);
}

SummaryText summary_text(const StudyRegistry& studies, ResultsDatabase& results, Timing timing,
                         const std::optional<WorkloadPrices>& prices) {
  const std::string& name = results.schema().study;
  const std::optional<StudySummary> summary = own_summary(studies.find(name), results, timing);
  SummaryText text = summary ? summary->text : measures_text(results, timing);
  if (prices) text.append(money_summary(results, require_money(studies, results), *prices).text);
  return text;
}

std::string summary_json(const StudyRegistry& studies, ResultsDatabase& results, Timing timing,
                         const std::optional<WorkloadPrices>& prices) {
  const std::string& name = results.schema().study;
  Json json{{"study", name},
            {"runs", results.finished_runs().size()},
            {"expected_runs", results.record().run_count},
            {"measures", measures_json(results, timing)}};
  if (const auto summary = own_summary(studies.find(name), results, timing)) {
    json.update(summary->json);
  }
  if (prices) {
    json["money"] = money_summary(results, require_money(studies, results), *prices).json;
  }
  return text_of(json);
}

}  // namespace cospot
