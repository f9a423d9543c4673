#include "sim_harness/report/html_report.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <stdexcept>

#include "core/digest.hpp"
#include "sim_harness/base/text/html_text.hpp"

namespace cospot {
namespace {

unsigned hex_digit(char digit) {
  return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/// Turns hexadecimal digits into Base64.
std::string base64(std::string_view hex) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char digit : hex) {
    bits = (bits << 4U) | hex_digit(digit);
    count += 4;
    if (count < 6) continue;
    count -= 6;
    text += kDigits[(bits >> count) & 63U];
  }
  if (count > 0) text += kDigits[(bits << (6 - count)) & 63U];
  while (text.size() % 4 != 0) text += '=';
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
