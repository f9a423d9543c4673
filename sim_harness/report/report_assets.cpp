#include "sim_harness/report/html_report.hpp"

// Defined by cospot_embed: the first byte of each part and the one after its last.
extern "C" {
extern const char kCospotReportTemplateBegin[];
extern const char kCospotReportTemplateEnd[];
extern const char kCospotReportStyleBegin[];
extern const char kCospotReportStyleEnd[];
extern const char kCospotChartLibraryBegin[];
extern const char kCospotChartLibraryEnd[];
extern const char kCospotReportScriptBegin[];
extern const char kCospotReportScriptEnd[];
extern const char kCospotPlanTemplateBegin[];
extern const char kCospotPlanTemplateEnd[];
extern const char kCospotPlanScriptBegin[];
extern const char kCospotPlanScriptEnd[];
extern const char kCospotAssetLicencesBegin[];
extern const char kCospotAssetLicencesEnd[];
}

namespace cospot {

std::string_view report_template() {
  return {kCospotReportTemplateBegin, kCospotReportTemplateEnd};
}

std::string_view report_style() { return {kCospotReportStyleBegin, kCospotReportStyleEnd}; }

std::string_view chart_library() { return {kCospotChartLibraryBegin, kCospotChartLibraryEnd}; }

std::string_view report_script() { return {kCospotReportScriptBegin, kCospotReportScriptEnd}; }

std::string_view plan_template() { return {kCospotPlanTemplateBegin, kCospotPlanTemplateEnd}; }

std::string_view plan_script() { return {kCospotPlanScriptBegin, kCospotPlanScriptEnd}; }

std::string_view asset_licences() { return {kCospotAssetLicencesBegin, kCospotAssetLicencesEnd}; }

}  // namespace cospot
