#include <doctest/doctest.h>

#include <string>

#include "error_text.hpp"
#include "sim_harness/base/text/html_text.hpp"
#include "sim_harness/report/html_report.hpp"

namespace cospot {
namespace {

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST_CASE("csp_hash: the digests of FIPS 180-2 in Base64") {
  CHECK(csp_hash("") == "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  CHECK(csp_hash("abc") == "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

TEST_CASE("html_text: nothing in it is markup") {
  CHECK(html_text("a <b> & \"c\" {{title}}") == "a &lt;b&gt; &amp; &quot;c&quot; {{title}}");
}

TEST_CASE("html_report: holds title, data, library and script once, and no placeholder of ours") {
  const std::string html =
      html_report("A & B {{script}}", "<p>{{title}}</p>", R"({"data":"{{title}}"})");
  CHECK(count_of(html, "<title>A &amp; B {{script}}</title>") == 1);
  CHECK(count_of(html, "<p>{{title}}</p>") == 1);
  CHECK(count_of(html, R"(>{"data":"{{title}}"}</script>)") == 1);
  CHECK(count_of(html, "<script>" + std::string(chart_library()) + "</script>") == 1);
  CHECK(count_of(html, "<script>" + std::string(report_script()) + "</script>") == 1);
  CHECK(count_of(html, "<style>" + std::string(report_style()) + "</style>") == 1);
  // Three scripts: data, library and ours. Nothing in them ends one early.
  CHECK(count_of(html, "</script") == 3);
  CHECK(count_of(html, "</style") == 1);
  for (const char* name : {"policy", "style", "answer", "data", "library", "licences"}) {
    CHECK(count_of(html, "{{" + std::string(name) + "}}") == 0);
  }
}

TEST_CASE("html_report: the policy names what may run, and lets nothing be fetched") {
  const std::string html = html_report("t", "", "{}");
  CHECK(contains(html, "default-src 'none'; script-src '" + csp_hash(chart_library()) + "' '" +
                           csp_hash(report_script()) + "'; style-src '" + csp_hash(report_style()) +
                           "'; "));
  CHECK_FALSE(contains(html, "unsafe-"));
  // What is shown: no link, image or source map elsewhere.
  CHECK_FALSE(contains(html, "<link rel=\"stylesheet\""));
  CHECK_FALSE(contains(html, " src="));
  CHECK_FALSE(contains(html, "sourceMappingURL"));
}

TEST_CASE("report assets: every part is there, with the licences of the library") {
  CHECK(report_template().starts_with("<!DOCTYPE html>"));
  CHECK(report_script().starts_with("\"use strict\";"));
  for (const char* name : {"vega 6.4.0", "vega-lite 6.5.0", "vega-interpreter 2.3.2", "d3-array"}) {
    CHECK(contains(std::string(asset_licences()), name));
  }
}

}  // namespace
}  // namespace cospot
