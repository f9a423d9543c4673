#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include "sim_harness/base/tables/separated_fields.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {

using Fields = std::vector<std::string_view>;

TEST_CASE("split_fields: what is between the separators, at least one field") {
  CHECK(split_fields("a,,b,") == Fields{"a", "", "b", ""});
  CHECK(split_fields("") == Fields{""});
  CHECK(split_fields("k=1,2;l=3", ';') == Fields{"k=1,2", "l=3"});
  CHECK(split_fields("a,b", ';') == Fields{"a,b"});
  Fields fields{"from", "the", "line", "before"};
  split_fields("a;b", fields, ';');
  CHECK(fields == Fields{"a", "b"});
}

TEST_CASE("take_line: lines without their ends, in LF, CRLF, and without the last end") {
  std::string_view text = "a\r\n\nb\rc\n\rd";
  Fields lines;
  while (!text.empty()) lines.push_back(take_line(text));
  CHECK(lines == Fields{"a", "", "b\rc", "\rd"});
  CHECK(take_line(text).empty());
}

}  // namespace cospot
