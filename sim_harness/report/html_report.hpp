#pragma once

#include <map>
#include <string>
#include <string_view>

namespace cospot {

/// An HTML page that shows results in any browser, without a network. Its content security policy
/// allows only its own scripts and style, and no downloads.
///
/// `title` is plain text; `answer` is HTML, the summary of the results; `data_json` is from
/// report_json.
[[nodiscard]] std::string html_report(std::string_view title, std::string_view answer,
                                      std::string_view data_json);

/// The SHA-256 of a script or style in the notation of a content security policy: `sha256-` and
/// Base64.
[[nodiscard]] std::string csp_hash(std::string_view text);

/// A page of a template: `values`, and the style, scripts and licences that all pages share.
[[nodiscard]] std::string page_of(std::string_view text, std::string_view script,
                                  std::map<std::string, std::string_view> values);

// The parts that all reports share: the files of report/assets/, which the build embeds in the
// program (cospot_embed).

[[nodiscard]] std::string_view report_template();  ///< HTML with {{placeholders}}
[[nodiscard]] std::string_view report_style();     ///< CSS
[[nodiscard]] std::string_view chart_library();    ///< JavaScript: Vega, its interpreter, Vega-Lite
[[nodiscard]] std::string_view report_script();    ///< JavaScript: script/*.js in order
[[nodiscard]] std::string_view plan_template();    ///< HTML of the plan page
[[nodiscard]] std::string_view plan_script();      ///< JavaScript: theme.js, plan.js
[[nodiscard]] std::string_view asset_licences();   ///< of the chart library

}  // namespace cospot
