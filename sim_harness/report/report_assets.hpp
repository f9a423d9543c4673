#pragma once

#include <string_view>

namespace cospot {

// The parts of a report that are the same in every report: the files of report/assets/, which the
// build puts into the program (cospot_embed).

[[nodiscard]] std::string_view report_template();  ///< HTML with {{placeholders}}
[[nodiscard]] std::string_view report_style();     ///< CSS
[[nodiscard]] std::string_view chart_library();    ///< JavaScript: Vega, its interpreter, Vega-Lite
[[nodiscard]] std::string_view report_script();    ///< JavaScript: script/*.js in order
[[nodiscard]] std::string_view asset_licences();   ///< of the chart library

}  // namespace cospot
