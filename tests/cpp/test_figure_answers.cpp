#include <doctest/doctest.h>

#include <string>

#include "sim_harness/experiments/summary/study_summary.hpp"
#include "sweep_fixtures.hpp"

namespace cospot {
namespace {

/// Evictions of runs 0 to 3, by SAF (off, off, on, on) and OTN (1, 4, 1, 4): 0, 1, 4 and 9.
StudySummary summary_of_evictions(Better better) {
  ResultsDatabase results = database_of(made_rows(0, 4), small_sweep_tables());
  return summary_of_figures(results, {.title = "Four runs",
                                      .figures = {{.name = "evictions",
                                                   .title = "evictions",
                                                   .unit = FigureUnit::kNumber,
                                                   .decimals = 1,
                                                   .sql = "run.evictions",
                                                   .better = better}}});
}

TEST_CASE("answers: best, worst, and the mean of every value of a setting, by hand") {
  const std::string text = summary_of_evictions(Better::kLow).text.plain();
  // SAF off (0 + 1) / 2, on (4 + 9) / 2; OTN 1 (0 + 4) / 2, OTN 4 (1 + 9) / 2. Of one workload and
  // one seed there is no interval: settings are no samples.
  CHECK(contains(text,
                 "Evictions: lowest 0.0 with size 0%, spot sCOS, saf off, otn 1; "
                 "highest 9.0 with size 0%, spot sCOS, saf on, otn 4\n"
                 "  by saf: off: 0.5; on: 6.5\n"
                 "  by otn: 1: 2.0; 4: 5.0\n"));
}

TEST_CASE("answers: the other end where more is better, and the same as JSON") {
  const StudySummary summary = summary_of_evictions(Better::kHigh);
  CHECK(contains(summary.text.plain(), "Evictions: highest 9.0 with "));
  const Json& answer = summary.json.at("answers").at(0);
  CHECK(answer.at("figure") == "evictions");
  CHECK(answer.at("best").at("mean") == 9);
  CHECK(answer.at("best").at("with").at("otn") == 4);
  CHECK(answer.at("worst").at("mean") == 0);
  CHECK(answer.at("by").at("saf").at(1).at("mean") == 6.5);
  CHECK(answer.at("by").at("saf").at(1).at("half_width_95").is_null());
}

TEST_CASE("answers: none where no end is better") {
  const StudySummary summary = summary_of_evictions(Better::kUnsaid);
  CHECK_FALSE(contains(summary.text.plain(), "lowest"));
  CHECK(summary.json.at("answers").empty());
}

TEST_CASE("SummaryText: the same as lines and as HTML, of which nothing is markup") {
  SummaryText text("2 runs\n");
  text.add_answer("Cost: lowest 1 +/- 0 <with> a\n  by x: 1: 1\n");
  SummaryTable table{.columns = {{"name", "name", TextTable::Align::kLeft}, {"cost", "cost"}}};
  table.rows = {{{"a<b>", {}}, {"1", {}}}};
  text.add(table);
  text += "(a note\nof two lines)\n\nMore\n  kept   apart\n";
  CHECK(text.plain() ==
        "2 runs\nCost: lowest 1 +/- 0 <with> a\n  by x: 1: 1\nname  cost\na<b>     1\n"
        "(a note\nof two lines)\n\nMore\n  kept   apart\n");
  const std::string html = text.html();
  CHECK(
      html.starts_with("<p>2 runs</p>\n<p class=\"answer\">Cost: lowest 1 ± 0 &lt;with&gt; a</p>\n"
                       "<p class=\"answer-detail\">by x: 1: 1</p>\n"));
  CHECK(contains(html, "<tr><td>a&lt;b&gt;</td><td class=\"number\">1</td></tr>"));
  CHECK(contains(html, "<p class=\"note\">(a note of two lines)</p>\n<details>"));
  CHECK(contains(html, "<p>More</p>\n<pre tabindex=\"0\">kept   apart</pre>"));
}

TEST_CASE("SummaryText: in the answer of a page, names of axes are words") {
  SummaryText text("otn_limit stays in other lines\nAll: otn_limit 3\n");
  text.add_answer(
      "Cost: lowest with otn_limit 1, bid on_demand, my_otn_limit 2\n  by otn_limit: 1\n");
  text.add({.columns = {{"otn_limit", "otn_limit"}}, .rows = {{{"otn_limit", {}}}}});
  const std::vector<std::string> names{"bid", "otn_limit"};
  CHECK(text.html(names) ==
        "<p>otn_limit stays in other lines</p>\n<p>All: otn limit 3</p>\n"
        "<p class=\"answer\">Cost: lowest with otn limit 1, bid on_demand, my_otn_limit 2</p>\n"
        "<p class=\"answer-detail\">by otn limit: 1</p>\n"
        "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th class=\"number\">otn "
        "limit</th></tr></thead>\n<tbody>\n<tr><td class=\"number\">otn_limit</td></tr>\n"
        "</tbody></table></div>\n");
  CHECK(contains(text.html(), "with otn_limit 1"));
}

TEST_CASE("SummaryText: a later table without a heading is folded, under its titles") {
  const SummaryTable table{.columns = {{"", "over all runs"}, {"", "mean"}},
                           .rows = {{{"gain", {}}, {"1", {}}}}};
  SummaryText text;
  text.add(table);
  text += "(a note)\n\n";
  text.add(table);
  text += "\nMoney\n";
  text.add(table);
  const std::string html = text.html();
  CHECK(html.starts_with("<div class=\"scroll\""));
  CHECK(contains(html,
                 "<p class=\"note\">(a note)</p>\n"
                 "<details><summary>over all runs, mean</summary>\n<div class"));
  CHECK(contains(html, "</details>\n<p>Money</p>\n<div class"));
}

}  // namespace
TEST_CASE("SummaryText: of a long table the rows that answer yes are never folded away") {
  SummaryTable table{.columns = {{"life", "life"}, {"sell", "sell?"}}};
  for (int i = 0; i < 13; ++i) {
    table.rows.push_back({{std::to_string(i) + " h", i}, {i == 12 ? "yes" : "not yet", i == 12}});
  }
  SummaryText text;
  text.add(table);
  const std::string html = text.html();
  const std::size_t fold = html.find("<details><summary>All 13 rows</summary>");
  REQUIRE(fold != std::string::npos);
  const std::size_t yes = html.find("12 h");
  CHECK(yes < fold);
  CHECK(html.find("11 h") > fold);
  CHECK(html.find("12 h", fold) != std::string::npos);
  table.rows.pop_back();  // twelve are not folded
  SummaryText shorter;
  shorter.add(table);
  CHECK(shorter.html().find("<details>") == std::string::npos);
}

}  // namespace cospot
