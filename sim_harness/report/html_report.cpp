#include "sim_harness/report/html_report.hpp"

#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "core/digest.hpp"
#include "sim_harness/base/text/html_text.hpp"

namespace cospot {
namespace {

/// A SHA-256 in Base64: two digits for three hexadecimal ones. Its 32 bytes end within the last
/// four digits, which one sign fills up.
std::string base64(std::string hex) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  hex += "00";
  std::string text;
  for (std::size_t i = 0; i < hex.size(); i += 3) {
    const std::size_t bits = std::stoul(hex.substr(i, 3), nullptr, 16);
    text += kDigits[bits / 64];
    text += kDigits[bits % 64];
  }
  text.back() = '=';
  return text;
}

/// A policy that allows only this script, the chart library and the style, and no downloads.
std::string content_security_policy(std::string_view script) {
  return fmt::format(
      "default-src 'none'; script-src '{}' '{}'; style-src '{}'; img-src data:; base-uri 'none'; "
      "form-action 'none'",
      csp_hash(chart_library()), csp_hash(script), csp_hash(report_style()));
}

/// Replaces every {{name}} by its value. Values are not expanded again.
std::string fill_in(std::string_view text, const std::map<std::string, std::string_view>& values) {
  std::string filled;
  for (;;) {
    const std::size_t begin = text.find("{{");
    filled += text.substr(0, begin);
    if (begin == std::string_view::npos) return filled;
    const std::size_t end = text.find("}}", begin);
    if (end == std::string_view::npos) throw std::logic_error("report.html: {{ without }}");
    filled += values.at(std::string(text.substr(begin + 2, end - begin - 2)));
    text.remove_prefix(end + 2);
  }
}

}  // namespace

std::string csp_hash(std::string_view text) { return "sha256-" + base64(sha256_hex(text)); }

std::string page_of(std::string_view text, std::string_view script,
                    std::map<std::string, std::string_view> values) {
  const std::string policy = content_security_policy(script);
  const std::string licences = html_text(asset_licences());
  values.insert({{"policy", policy},
                 {"style", report_style()},
                 {"library", chart_library()},
                 {"script", script},
                 {"licences", licences}});
  return fill_in(text, values);
}

std::string html_report(std::string_view title, std::string_view answer,
                        std::string_view data_json) {
  const std::string title_html = html_text(title);
  return page_of(report_template(), report_script(),
                 {{"title", title_html}, {"answer", answer}, {"data", data_json}});
}

}  // namespace cospot
