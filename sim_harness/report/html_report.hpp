#pragma once

#include <map>
#include <string>
#include <string_view>

namespace cospot {

/// The text of a file that shows results in any browser, without a network. Its content security
/// policy lets only its own scripts and style run and lets nothing be fetched.
///
/// `title` is plain text; `answer` is HTML, the summary of the results; `data_json` comes from
/// report_json.
[[nodiscard]] std::string html_report(std::string_view title, std::string_view answer,
                                      std::string_view data_json);

/// The SHA-256 of a script or style as a content security policy writes it: `sha256-` and Base64.
[[nodiscard]] std::string csp_hash(std::string_view text);

/// Lets only this script, the chart library and the style run, and nothing be fetched.
[[nodiscard]] std::string content_security_policy(std::string_view script);

/// Replaces every {{name}} by its value; what a value holds is not looked at again.
[[nodiscard]] std::string fill_in(std::string_view text,
                                  const std::map<std::string, std::string_view>& values);

// The parts of a report that are the same in every report: the files of report/assets/, which the
// build puts into the program (cospot_embed).

[[nodiscard]] std::string_view report_template();  ///< HTML with {{placeholders}}
[[nodiscard]] std::string_view report_style();     ///< CSS
[[nodiscard]] std::string_view chart_library();    ///< JavaScript: Vega, its interpreter, Vega-Lite
[[nodiscard]] std::string_view report_script();    ///< JavaScript: script/*.js in order
[[nodiscard]] std::string_view plan_template();    ///< HTML of the page of a plan
[[nodiscard]] std::string_view plan_script();      ///< JavaScript: theme.js, plan.js
[[nodiscard]] std::string_view asset_licences();   ///< of the chart library

}  // namespace cospot
