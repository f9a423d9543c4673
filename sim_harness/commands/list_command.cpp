#include "sim_harness/commands/list_command.hpp"

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

#include "core/policy/plugin.hpp"
#include "evictors/registry.hpp"
#include "filters/registry.hpp"
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

std::vector<ListedKind> listed_kinds() {
  return {{"filters", infos_of(filter_registry())},
          {"weighers", infos_of(weigher_registry())},
          {"evictors", infos_of(evictor_registry())},
          {"models",
           {{.name = "azure2020",
             .summary = "Synthetic workloads like a zone of Azure: VMs and spots, 14 days.",
             .source = "fitted to the CoSpot samples; docs/synthetic-workload.md"}}},
          {"schemes",
           {{.name = "python:MODULE.CLASS",
             .summary = "Any of the first three, written in Python, beside the sweep file.",
             .source = "docs/python-policies.md"},
            {.name = "nova:MODULE.CLASS",
             .summary = "A weigher or filter of OpenStack Nova as it is installed here.",
             .source = "docs/python-policies.md"}}}};
}

/// What it does, and that it is no policy to set where it needs what nobody knows.
std::string description_of(const PluginInfo& info) {
  std::string text(info.summary);
  if (info.needs_true_lifetimes()) text += fmt::format(" ({})", kUpperBoundNote);
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

}  // namespace

std::string list_text(const std::string& kind) {
  std::string text;
  std::vector<std::string_view> names;
  for (const ListedKind& listed : listed_kinds()) {
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

void add_list_command(CLI::App& app) {
  const auto kind = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("list", "Print the policies and models there are");
  command->add_option("KIND", *kind,
                      "filters, weighers, evictors, models or schemes; all when left out");
  command->callback([kind] { fmt::print("{}", list_text(*kind)); });
}

}  // namespace cospot
