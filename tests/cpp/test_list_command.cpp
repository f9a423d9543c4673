#include <doctest/doctest.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "evictors/registry.hpp"
#include "filters/registry.hpp"
#include "sim_harness/commands/commands.hpp"
#include "source_folder.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

template <class Plugin>
void check_rows(std::span<const RegistryEntry<Plugin>> registry, const std::string& kind) {
  const std::string rows = list_text(kind);
  const std::string all = list_text("");
  std::size_t at = 0;
  for (const RegistryEntry<Plugin>& entry : registry) {
    CAPTURE(entry.info.name);
    // In the order of the registry, one line each.
    const std::size_t line = rows.find(entry.info.name, at);
    REQUIRE(line == at);
    at = rows.find('\n', line) + 1;
    const std::string row = rows.substr(line, at - line - 1);
    CHECK(row.find(entry.info.summary) != std::string::npos);
    CHECK((row.find("(knows lifetimes)") != std::string::npos) ==
          entry.info.needs_true_lifetimes());
    CHECK(row.ends_with(entry.info.source));
    CHECK(all.find("  " + row + "\n") != std::string::npos);
  }
  CHECK(at == rows.size());
  CHECK(("\n" + all).find("\n" + kind + "\n  ") != std::string::npos);
}

TEST_CASE("list_text: prints every registered policy with summary and source") {
  check_rows(filter_registry(), "filters");
  check_rows(weigher_registry(), "weighers");
  check_rows(evictor_registry(), "evictors");
  CHECK(list_text("models").starts_with("azure2020  "));
  CHECK(list_text("schemes").starts_with("python:MODULE.CLASS  "));
}

TEST_CASE("list columns: every column of every study says its unit and meaning") {
  const std::string all = list_columns_text("");
  for (const Study& study : built_in_studies().all()) {
    CAPTURE(study.name);
    const std::string one = list_columns_text(std::string(study.name));
    CHECK(all.find(one) != std::string::npos);
    for (const Column& column : study.schema().columns()) {
      CHECK(one.find("\n" + column.name + " ") != std::string::npos);
      CHECK(one.find(column.meaning) != std::string::npos);
    }
  }
  const std::string economy = list_columns_text("levels");
  const std::size_t timeline = economy.find("\ntimeline of levels\n");
  REQUIRE(timeline != std::string::npos);
  CHECK(economy.find("\nhosts_in_use ", timeline) != std::string::npos);
  CHECK_THROWS_WITH_AS((void)list_columns_text("level"), doctest::Contains("unknown study 'level'"),
                       ConfigError);
}

TEST_CASE("list_text: LPO alone knows lifetimes, which nobody does in production") {
  const std::string text = list_text("evictors");
  const std::size_t note = text.find("(knows lifetimes)");
  REQUIRE(note != std::string::npos);
  CHECK(text.rfind('\n', note) + 1 == text.find("LPO "));
  CHECK(text.find("knows lifetimes", note + 20) == std::string::npos);
  CHECK(list_text("").find("knows lifetimes", list_text("").find("(knows lifetimes)") + 20) ==
        std::string::npos);
}

TEST_CASE("PluginInfo: says what Nova can be set to and what tune tries") {
  using Names = std::vector<std::string>;
  for (const RegistryEntry<Evictor>& entry : evictor_registry()) {
    // LPKM asks for what Nova tells of a spot: its size and since when it runs.
    CHECK(entry.info.is_for_nova() == (!entry.info.needs_lifetimes() || entry.info.name == "LPKM"));
  }
  CHECK(names_where(evictor_registry(), std::mem_fn(&PluginInfo::needs_lifetimes)) ==
        Names{"LPO", "LPML", "LPKM"});
  CHECK(names_where(evictor_registry(), std::mem_fn(&PluginInfo::needs_lifetime_model)) ==
        Names{"LPML", "LPKM"});
  const auto tried = [](const auto& registry, TuneChoice choice) {
    return names_where(registry,
                       [choice](const PluginInfo& info) { return info.tune_choice == choice; });
  };
  CHECK(tried(weigher_registry(), TuneChoice::kVm) == Names{"UTIL", "COS", "DPD"});
  CHECK(tried(weigher_registry(), TuneChoice::kSpot) ==
        Names{"sUTIL", "sCOS", "sDPD", "vmaUTIL", "vmaCOS", "vmaDPD"});
  CHECK(tried(evictor_registry(), TuneChoice::kEvictor) == Names{"FIFO", "LPKM"});
}

TEST_CASE("list_text: columns are aligned") {
  const std::string text = list_text("evictors");
  const std::size_t summary = text.find("Evicts the spots placed first");
  const std::size_t source = text.find("CoSpot");
  const std::size_t second = text.find('\n') + 1;
  CHECK(text.find_first_not_of(' ', second + summary) == second + summary);
  CHECK(text[second + summary - 1] == ' ');
  CHECK(text.find("CoSpot", second) == second + source);
}

TEST_CASE("list_text: each study names the page about it") {
  for (const Study& study : built_in_studies().all()) {
    CAPTURE(study.name);
    const std::string page(study.page.substr(0, study.page.find('#')));
    std::ifstream file(source_folder() / page);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const bool is_named = text.find(fmt::format("study: {}", study.name)) != std::string::npos ||
                          text.find(fmt::format("`{}`", study.name)) != std::string::npos;
    CHECK(is_named);
    CHECK(list_text("studies").find(fmt::format("{}\n", study.page)) != std::string::npos);
  }
}

TEST_CASE("list command: an unknown kind is an error with the valid ones") {
  CLI::App app;
  add_list_command(app, built_in_studies());
  CHECK_THROWS_WITH_AS(app.parse("list plugins"),
                       "unknown kind 'plugins'; valid names: filters, weighers, evictors, studies, "
                       "models, schemes",
                       ConfigError);
}

}  // namespace
}  // namespace cospot
