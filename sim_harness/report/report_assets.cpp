#include "sim_harness/report/html_report.hpp"

// Each part as its function; cospot_embed defines its first byte and the one after its last.
#define COSPOT_ASSET(Name, function)                \
  extern "C" const char Name##Begin[], Name##End[]; \
  std::string_view function() { return {Name##Begin, Name##End}; }

namespace cospot {

COSPOT_ASSET(kCospotReportTemplate, report_template)
COSPOT_ASSET(kCospotReportStyle, report_style)
COSPOT_ASSET(kCospotChartLibrary, chart_library)
COSPOT_ASSET(kCospotReportScript, report_script)
COSPOT_ASSET(kCospotPlanTemplate, plan_template)
COSPOT_ASSET(kCospotPlanScript, plan_script)
COSPOT_ASSET(kCospotAssetLicences, asset_licences)

}  // namespace cospot
