#include "sim_harness/commands/report_command.hpp"

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
#include "sim_harness/base/text/html_text.hpp"
#include "sim_harness/commands/cloud.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/report/change_text.hpp"
#include "sim_harness/report/html_report.hpp"
#include "sim_harness/report/report_json.hpp"
#include "sim_harness/studies/stored_prices.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {
namespace {

/// The report, and how many runs are in it.
struct MadeReport {
  std::string html;
  std::size_t runs = 0;
};

/// A database that has runs, and what its report shows.
struct Reported {
  ResultsDatabase results;
  ReportShows shows{};
  std::size_t runs = 0;
};

/// The results of a database, or of the runs of a study file.
ResultsDatabase open_or_run(const std::string& named, const ReportArguments& arguments,
                            const StudyRegistry& studies) {
  if (!is_yaml_file(named)) return open_results(studies, named);
  StudyFile file = read_study_file(named, {}, std::nullopt, *arguments.policies);
  file.keeps_timeline = studies.chosen_by(file.root).provider != nullptr;
  require_usable_output("-o", arguments.output, files_of_study(named, file));
  const Experiment experiment = read_experiment(studies, file)();
  const std::optional<WorkloadPrices> prices =
      prices_of_study(studies, arguments.price.or_of(file).prices(), file);
  print_warnings(experiment.warnings);
  const std::unique_ptr<ProgressSink> progress = make_progress(false);
  ResultsDatabase results = run_in_memory(experiment, threads_of_machine(), *progress);
  if (prices) keep_prices(results, *prices);
  return results;
}

Reported open_reported(const std::string& database, const ReportArguments& arguments,
                       const StudyRegistry& studies) {
  const std::optional<PriceList> list = arguments.price.prices();
  Reported made{.results = open_or_run(database, arguments, studies)};
  ResultsDatabase& results = made.results;
  made.runs = results.finished_runs().size();
  if (made.runs == 0) {
    throw DatabaseError(
        fmt::format("{}: has none of its {} runs yet; `cospot compare` with "
                    "--resume does them",
                    database, results.record().run_count));
  }
  // Here the files of the study are known as far as its paths are of this folder too.
  require_usable_output("-o", arguments.output,
                        files_named_in(parse_json(results.record().configuration, database), {}));
  made.shows.prices = list && !is_yaml_file(database) ? prices_of_results(studies, *list, results)
                                                      : kept_prices(results);
  const Study* study = studies.find(results.schema().study);
  if (study != nullptr && study->figures) made.shows.figures = study->figures(results.schema());
  if (study != nullptr) made.shows.samples = study->samples;
  if (made.shows.prices) made.shows.money = require_money(studies, results);
  return made;
}

/// The names of the axes, for the answer of a page.
std::vector<std::string> axis_names_of(const ResultsDatabase& results) {
  std::vector<std::string> names;
  for (const Column& axis : results.schema().axes) names.push_back(axis.name);
  return names;
}

MadeReport make_report(const ReportArguments& arguments, const StudyRegistry& studies) {
  Reported first = open_reported(arguments.databases.front(), arguments, studies);
  const std::string& study = first.results.schema().study;
  const std::optional<StudyFigures>& figures = first.shows.figures;
  const std::string title =
      figures && figures->best ? std::string(figures->title) : "Results of the study " + study;
  const auto answer_of = [&studies](Reported& one) {
    return summary_text(studies, one.results, Timing::kOn, one.shows.prices)
        .html(axis_names_of(one.results));
  };
  // The data comes before the answer: making it finds out whether the runs are on their axes.
  if (arguments.databases.size() == 1) {
    const std::string data = report_json(first.results, first.shows);
    return {html_report(arguments.title.value_or(title), answer_of(first), data), first.runs};
  }
  Reported second = open_reported(arguments.databases.back(), arguments, studies);
  const std::string data = report_json(first.results, first.shows, second.results, second.shows);
  const std::string answer =
      change_text(first.results, second.results, first.shows).html(axis_names_of(first.results)) +
      fmt::format(
          "<details><summary>Before: {}</summary>\n{}</details>\n"
          "<details><summary>After: {}</summary>\n{}</details>\n",
          html_text(arguments.databases.front()), answer_of(first),
          html_text(arguments.databases.back()), answer_of(second));
  return {html_report(arguments.title.value_or(title + ", before and after"), answer, data),
          first.runs + second.runs};
}

}  // namespace

WrittenReport write_report(const ReportArguments& arguments, const StudyRegistry& studies) {
  if (arguments.databases.size() > 2) {
    throw ConfigError(fmt::format(
        "{} databases are given, expected one, or two of the same study: before and after",
        arguments.databases.size()));
  }
  if (arguments.databases.size() == 2 &&
      is_same_file(arguments.databases.front(), arguments.databases.back())) {
    throw ConfigError(
        fmt::format("{}: is given as before and as after, expected two databases to compare",
                    arguments.databases.back()));
  }
  for (const std::string& database : arguments.databases) {
    if (!is_same_file(arguments.output, database)) continue;
    throw InputError("-o " + arguments.output + ": is the results database; choose another file");
  }
  const std::vector<std::string>& tables = arguments.price.texts();
  require_usable_output("-o", arguments.output, {tables.begin(), tables.end()});
  const MadeReport report = make_report(arguments, studies);
  write_stored_file(arguments.output, report.html);
  return {report.runs, report.html.size()};
}

void add_report_command(CLI::App& app, PolicyLoader& loader, const StudyRegistry& studies) {
  const auto arguments = std::make_shared<ReportArguments>();
  arguments->policies = &loader;
  CLI::App* command =
      app.add_subcommand("report", "Write the results as one interactive HTML file");
  command
      ->add_option("DATABASE", arguments->databases,
                   "Results database, or a study file (YAML) to run; or two of one study: before "
                   "and after")
      ->required()
      ->expected(1, CLI::detail::expected_max_vector_size);
  command->add_option("-o,--output", arguments->output, "File to write")->capture_default_str();
  command->add_option("--title", arguments->title, "Title of the report");
  arguments->price.add_to(*command);
  command->callback([arguments, &studies] {
    const WrittenReport report = write_report(*arguments, studies);
    print(fmt::format("{} run{} in {} ({:.1f} MB): open it in a browser\n", report.runs,
                      report.runs == 1 ? "" : "s", arguments->output,
                      static_cast<double>(report.bytes) / 1e6));
  });
}

}  // namespace cospot
