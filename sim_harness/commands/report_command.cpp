#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/named_files.hpp"
#include "sim_harness/base/files/output_file.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/report/html_report.hpp"
#include "sim_harness/report/report_json.hpp"
#include "sim_harness/studies/compare/compare_study.hpp"
#include "sim_harness/studies/stored_prices.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {
namespace {

struct ReportArguments {
  std::string database;
  std::string output = "report.html";
  std::optional<std::string> title;
  PriceOption price;
};

/// The report, and how many runs are in it.
struct MadeReport {
  std::string html;
  std::size_t runs = 0;
};

MadeReport make_report(const ReportArguments& arguments, const StudyRegistry& studies) {
  const std::optional<PriceList> list = arguments.price.prices();
  ResultsDatabase results(arguments.database);
  const std::size_t runs = results.finished_runs().size();
  if (runs == 0) {
    throw DatabaseError(
        fmt::format("{}: has none of its {} runs yet; `cospot compare` with "
                    "--resume does them",
                    arguments.database, results.record().run_count));
  }
  // Here the files of the study are known as far as its paths are of this folder too.
  require_not_input(
      "-o", arguments.output,
      files_named_in(parse_json(results.record().configuration, arguments.database), {}));
  const std::optional<WorkloadPrices> prices =
      list ? prices_of_results(studies, *list, results) : kept_prices(results);
  const std::string& name = results.schema().study;
  const Study* study = studies.find(name);
  std::optional<StudyFigures> figures;
  if (study != nullptr && study->figures) figures = study->figures(results.schema());
  std::optional<StudyMoney> money;
  if (prices) money = require_money(studies, results);
  return {
      html_report(
          arguments.title.value_or(name == compare_study().name ? "Spot allocators compared"
                                                                : "Results of the study " + name),
          report_json(results, figures ? &*figures : nullptr, money ? &*money : nullptr, prices)),
      runs};
}

void run_report(const ReportArguments& arguments, const StudyRegistry& studies) {
  if (is_same_file(arguments.output, arguments.database)) {
    throw InputError("-o " + arguments.output + ": is the results database; choose another file");
  }
  const std::vector<std::string>& tables = arguments.price.texts();
  require_not_input("-o", arguments.output, {tables.begin(), tables.end()});
  const MadeReport report = make_report(arguments, studies);
  write_stored_file(arguments.output, report.html);
  print(fmt::format("{} run{} in {} ({:.1f} MB): open it in a browser\n", report.runs,
                    report.runs == 1 ? "" : "s", arguments.output,
                    static_cast<double>(report.html.size()) / 1e6));
}

}  // namespace

void add_report_command(CLI::App& app, const StudyRegistry& studies) {
  const auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command =
      app.add_subcommand("report", "Write the results as one HTML file to look at and filter");
  command->add_option("database", arguments->database, "Results database")->required();
  command->add_option("-o,--output", arguments->output, "File to write")->capture_default_str();
  command->add_option("--title", arguments->title, "Its title");
  arguments->price.add_to(*command);
  command->callback([arguments, &studies] { run_report(*arguments, studies); });
}

}  // namespace cospot
