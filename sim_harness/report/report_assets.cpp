#include <cstddef>

#include "sim_harness/report/html_report.hpp"

// Defined in assets.S: the first byte of each part and the one after its last.
extern "C" {
extern const char kCospotReportTemplateBegin[];
extern const char kCospotReportTemplateEnd[];
extern const char kCospotReportStyleBegin[];
extern const char kCospotReportStyleEnd[];
extern const char kCospotChartLibraryBegin[];
extern const char kCospotChartLibraryEnd[];
extern const char kCospotReportScriptBegin[];
extern const char kCospotReportScriptEnd[];
extern const char kCospotAssetLicencesBegin[];
extern const char kCospotAssetLicencesEnd[];
}

namespace cospot {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::string_view report_template() {
  return between(kCospotReportTemplateBegin, kCospotReportTemplateEnd);
}

std::string_view report_style() { return between(kCospotReportStyleBegin, kCospotReportStyleEnd); }

std::string_view chart_library() {
  return between(kCospotChartLibraryBegin, kCospotChartLibraryEnd);
}

std::string_view report_script() {
  return between(kCospotReportScriptBegin, kCospotReportScriptEnd);
}

std::string_view asset_licences() {
  return between(kCospotAssetLicencesBegin, kCospotAssetLicencesEnd);
}

}  // namespace cospot
