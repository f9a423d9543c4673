#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "core/policy/plugin.hpp"
#include "evictors/registry.hpp"
#include "filters/registry.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

/// A kind of thing the user can name, and all of that kind.
struct ListedKind {
  std::string_view name;
  std::vector<PluginInfo> infos;
};

template <class Plugin>
std::vector<PluginInfo> infos_of(std::span<const RegistryEntry<Plugin>> registry) {
  std::vector<PluginInfo> infos;
  for (const RegistryEntry<Plugin>& entry : registry) infos.push_back(entry.info);
  return infos;
}

std::vector<PluginInfo> study_infos(const StudyRegistry& studies) {
  std::vector<PluginInfo> infos;
  for (const Study& study : studies.all()) {
    infos.push_back({.name = study.name, .summary = study.summary, .source = study.page});
  }
  return infos;
}

std::vector<ListedKind> listed_kinds(const StudyRegistry& studies) {
  return {{"filters", infos_of(filter_registry())},
          {"weighers", infos_of(weigher_registry())},
          {"evictors", infos_of(evictor_registry())},
          {"studies", study_infos(studies)},
          {"models",
           {{.name = "azure2020",
             .summary = "Synthetic workloads like a zone of Azure: VMs and spots, 14 days.",
             .source = "fitted to the CoSpot samples; docs/synthetic-workload.md"}}},
          {"schemes",
           {{.name = "python:MODULE.CLASS",
             .summary = "Any of the first three, written in Python, next to the study file.",
             .source = "docs/python-policies.md"},
            {.name = "nova:MODULE.CLASS",
             .summary = "A weigher or filter of OpenStack Nova as it is installed here.",
             .source = "docs/python-policies.md"}}}};
}

/// The effect of a policy, and a warning if it needs the future and so cannot be deployed.
std::string description_of(const PluginInfo& info) {
  std::string text(info.summary);
  if (info.needs_true_lifetimes()) text += fmt::format(" ({})", kKnowsLifetimes);
  return text;
}

void add_rows(const ListedKind& kind, std::string_view indent, std::string& text) {
  std::size_t name_width = 0;
  std::size_t summary_width = 0;
  for (const PluginInfo& info : kind.infos) {
    name_width = std::max(name_width, info.name.size());
    summary_width = std::max(summary_width, description_of(info).size());
  }
  for (const PluginInfo& info : kind.infos) {
    fmt::format_to(std::back_inserter(text), "{}{:<{}}  {:<{}}  {}\n", indent, info.name,
                   name_width, description_of(info), summary_width, info.source);
  }
}

Json column_json(const Column& column) {
  return {{"name", column.name},
          {"role", column_role_name(column.role)},
          {"type", column_type_name(column.type)},
          {"unit", column.unit},
          {"meaning", column.meaning}};
}

/// The columns of a study's results, with the derived ones.
std::vector<Column> columns_of(const Study& study) {
  std::vector<Column> columns = study.schema().columns();
  std::ranges::copy(study.schema().derived, std::back_inserter(columns));
  return columns;
}

/// The daily figures that runs of a study can record; empty: none.
std::vector<Column> timeline_of(const Study& study) {
  if (study.provider == nullptr) return {};
  return ProviderStudy(*study.provider, {}, true).schema().timeline;
}

std::string columns_text(std::string_view heading, std::span<const Column> columns) {
  TextTable table;
  for (const char* title : {"column", "role", "type", "unit", "meaning"}) {
    table.add_column(title, TextTable::Align::kLeft);
  }
  for (const Column& column : columns) {
    table.add_row({column.name, std::string(column_role_name(column.role)),
                   std::string(column_type_name(column.type)), column.unit, column.meaning});
  }
  return fmt::format("{}\n{}", heading, table.text());
}

Json row_json(const PluginInfo& info, const StudyRegistry& studies, bool is_study) {
  Json row{{"name", info.name}, {"summary", info.summary}, {"source", info.source}};
  if (is_study) {
    const Study& study = *studies.find(info.name);
    row["columns"] = json_list_of(columns_of(study), column_json);
    const std::vector<Column> timeline = timeline_of(study);
    if (!timeline.empty()) row["timeline"] = json_list_of(timeline, column_json);
  } else {
    row["needs_true_lifetimes"] = info.needs_true_lifetimes();
  }
  return row;
}

}  // namespace

Json list_json(const std::string& kind, const StudyRegistry& studies) {
  Json kinds = Json::object();
  std::vector<std::string_view> names;
  bool is_known = kind.empty();
  for (const ListedKind& listed : listed_kinds(studies)) {
    names.push_back(listed.name);
    if (!kind.empty() && kind != listed.name) continue;
    is_known = true;
    kinds[listed.name] = json_list_of(listed.infos, [&](const PluginInfo& info) {
      return row_json(info, studies, listed.name == "studies");
    });
  }
  if (!is_known) throw_unknown_name("kind", kind, names);
  return kinds;
}

std::string list_text(const std::string& kind, const StudyRegistry& studies) {
  std::string text;
  std::vector<std::string_view> names;
  for (const ListedKind& listed : listed_kinds(studies)) {
    if (kind.empty()) {
      if (!text.empty()) text += "\n";
      text += std::string(listed.name) + "\n";
      add_rows(listed, "  ", text);
    } else if (kind == listed.name) {
      add_rows(listed, "", text);
      return text;
    }
    names.push_back(listed.name);
  }
  if (!kind.empty()) throw_unknown_name("kind", kind, names);
  return text;
}

std::string list_columns_text(const std::string& name, const StudyRegistry& studies) {
  std::string text;
  std::vector<std::string_view> names;
  for (const Study& study : studies.all()) {
    names.push_back(study.name);
    if (!name.empty() && name != study.name) continue;
    if (!text.empty()) text += "\n";
    text += columns_text(study.name, columns_of(study));
    const std::vector<Column> timeline = timeline_of(study);
    if (timeline.empty()) continue;
    text += "\n" + columns_text(fmt::format("timeline of {}", study.name), timeline);
  }
  if (text.empty()) throw_unknown_name("study", name, names);
  return text;
}

void add_list_command(CLI::App& app, const StudyRegistry& studies) {
  const auto kind = std::make_shared<std::string>();
  const auto study = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("list", "List policies, studies and models");
  command->add_option("KIND", *kind,
                      "filters, weighers, evictors, studies, models or schemes (default: all of "
                      "these); or columns, of the results of studies");
  command->add_option("STUDY", *study, "The study whose columns are listed (default: all)");
  add_json_flag(*command, *json);
  command->callback([kind, study, json, &studies] {
    if (*kind == "columns" && !*json) return print(list_columns_text(*study, studies));
    if (!study->empty()) {
      throw ConfigError(fmt::format("list: found {}, expected it after 'columns'{}", *study,
                                    *json ? " without --json" : ""));
    }
    if (*json) return print_json(list_json(*kind == "columns" ? "studies" : *kind, studies));
    print(list_text(*kind, studies));
  });
}

}  // namespace cospot
