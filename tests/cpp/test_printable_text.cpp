#include <doctest/doctest.h>

#include <string>

#include "core/errors.hpp"
#include "core/printable_text.hpp"
#include "error_text.hpp"
#include "sim_harness/base/text/text_table.hpp"

namespace cospot {
namespace {

/// UTF-8 by the definition of RFC 3629, section 3.
std::string utf8(unsigned code) {
  const auto byte = [](unsigned value) { return static_cast<char>(value); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xc0U | (code >> 6U)), byte(0x80U | (code & 0x3fU))};
  if (code < 0x10000) {
    return {byte(0xe0U | (code >> 12U)), byte(0x80U | ((code >> 6U) & 0x3fU)),
            byte(0x80U | (code & 0x3fU))};
  }
  return {byte(0xf0U | (code >> 18U)), byte(0x80U | ((code >> 12U) & 0x3fU)),
          byte(0x80U | ((code >> 6U) & 0x3fU)), byte(0x80U | (code & 0x3fU))};
}

/// The categories Cc and, of Cf, Bidi_Control in Unicode 15's PropList.txt, and Zl and Zp.
bool is_hostile(unsigned code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x61c || code == 0x200e ||
         code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

TEST_CASE("printable: of all characters those that act on a terminal are written out") {
  for (unsigned code = 0; code <= 0x10ffff; ++code) {
    if (code >= 0xd800 && code <= 0xdfff) continue;  // surrogates are no characters
    const std::string text = "a" + utf8(code) + "b";
    const std::string shown = printable(text);
    const bool is_kept = !is_hostile(code) || code == '\n' || code == '\t';
    if ((shown == text) != is_kept) FAIL("U+", code, ": ", shown);
    if (!is_kept && shown.size() != 8) FAIL("U+", code, ": ", shown);  // a \u0000 b
  }
  CHECK(printable("\x1b[31m\xe2\x80\xae\xc2\x9b") == "\\u001b[31m\\u202e\\u009b");
  CHECK(printable_line("a\nb\tc\r") == "a\\nb\tc\\u000d");
}

TEST_CASE("printable: bytes that are not UTF-8 are written out, each by itself") {
  CHECK(printable("\xff\x9b") == "\\xff\\x9b");           // 0x9b alone is CSI to an 8-bit terminal
  CHECK(printable("\xc0\x9b") == "\\xc0\\x9b");           // overlong
  CHECK(printable("\xe2\x80") == "\\xe2\\x80");           // cut off
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  CHECK(printable(std::string_view("\0", 1)) == "\\u0000");
}

TEST_CASE("printable_line: a long text keeps its ends, and no character is cut in two") {
  const std::string at_most(3000, 'x');
  CHECK(printable_line(at_most) == at_most);
  const std::string long_text = "k.yaml:1: " + std::string(1'000'000, 'x') + "; expected y";
  const std::string shown = printable_line(long_text);
  CHECK(shown.starts_with("k.yaml:1: xxx"));
  // 1,000,022 bytes, of which 1,400 stay on either side.
  CHECK(contains(shown, "x ... (997222 bytes left out) ... x"));
  CHECK(shown.ends_with("x; expected y"));
  CHECK(shown.size() < 3000);
  std::string wide;
  for (int i = 0; i < 2000; ++i) wide += "\xe2\x82\xac";  // three bytes each
  CHECK(printable_line("a" + wide).find("\\x") == std::string::npos);
}

TEST_CASE("every error is printable, however it was put together") {
  const std::string hostile = "a\x1b[2J\n\xe2\x80\xae";
  const std::string shown = "a\\u001b[2J\\n\\u202e";
  CHECK(std::string(InputError(hostile).what()) == shown);
  CHECK(std::string(ConfigError(hostile).what()) == shown);
  CHECK(std::string(WorkloadError(hostile).what()) == shown);
  CHECK(std::string(DatabaseError(hostile).what()) == shown);
  CHECK(std::string(PolicyError(hostile).what()) == shown);
  // One that quotes another quotes what is printable already.
  CHECK(std::string(InputError("in: " + std::string(InputError(hostile).what())).what()) ==
        "in: " + shown);
}

TEST_CASE("TextTable: a cell neither acts on the terminal nor begins another line") {
  TextTable table;
  table.add_column("name", TextTable::Align::kLeft);
  table.add_row({"a\x1b[31m\nb"});
  CHECK(table.text() == "name\na\\u001b[31m\\nb\n");
}

}  // namespace
}  // namespace cospot
