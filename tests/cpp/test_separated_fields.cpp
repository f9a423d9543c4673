#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/base/tables/separated_fields.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {

using Texts = std::vector<std::string_view>;

TEST_CASE("split_fields: what is between the separators, at least one field") {
  CHECK(split_fields("a,,b,") == Texts{"a", "", "b", ""});
  CHECK(split_fields("") == Texts{""});
  CHECK(split_fields("k=1,2;l=3", ';') == Texts{"k=1,2", "l=3"});
  CHECK(split_fields("a,b", ';') == Texts{"a,b"});
  Texts fields{"from", "the", "line", "before"};
  split_fields("a;b", fields, ';');
  CHECK(fields == Texts{"a", "b"});
}

TEST_CASE("csv_field: what a reader of CSV takes apart is quoted, and reads back") {
  CHECK(csv_field("a b'c") == "a b'c");
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("a\nb") == "\"a\nb\"");
  CsvSplitter splitter;
  for (const char* text : {"", "a", "a,b", "\"", "a\"b", "\"\"", ",", "#"}) {
    CAPTURE(text);
    const std::string line = csv_field(text) + "," + csv_field("x");
    Texts fields;
    CHECK(splitter.split(line, fields).empty());
    CHECK(fields == Texts{text, "x"});
  }
}

TEST_CASE("take_line: lines without their ends, in LF, CRLF, and without the last end") {
  std::string_view text = "a\r\n\nb\rc\n\rd";
  Texts lines;
  while (!text.empty()) lines.push_back(take_line(text));
  CHECK(lines == Texts{"a", "", "b\rc", "\rd"});
  CHECK(take_line(text).empty());
}

}  // namespace cospot
