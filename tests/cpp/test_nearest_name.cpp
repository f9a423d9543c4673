#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

#include "core/nearest_name.hpp"

namespace cospot {
namespace {

constexpr std::array<std::string_view, 5> kNames{"compare", "summary", "sUTIL", "vmaUTIL", "otn"};

TEST_CASE("nearest_name: letters added, left out, replaced, swapped, or in another case") {
  CHECK(nearest_name("compar", kNames) == "compare");    // one left out
  CHECK(nearest_name("compaare", kNames) == "compare");  // one added
  CHECK(nearest_name("compire", kNames) == "compare");   // one replaced
  CHECK(nearest_name("ocmpare", kNames) == "compare");   // two swapped: one edit
  CHECK(nearest_name("SUMMARY", kNames) == "summary");   // none
  CHECK(nearest_name("ont", kNames) == "otn");           // 3 letters: one edit
  CHECK(nearest_name("sutl", kNames) == "sUTIL");        // 4 letters: one edit
}

TEST_CASE("nearest_name: nothing where more than a quarter is wrong") {
  CHECK(nearest_name("", kNames).empty());
  CHECK(nearest_name("tn", kNames).empty());              // 2 letters may have no edit
  CHECK(nearest_name("report", kNames).empty());          // 6 letters may have one
  CHECK(nearest_name("comXXre", kNames).empty());         // two replaced, of 7 letters
  CHECK(nearest_name("summmmary", kNames) == "summary");  // two added, of 9 letters
  CHECK(nearest_name(std::string(1000, 'a'), kNames).empty());
  CHECK(nearest_name("compare", {}).empty());
}

TEST_CASE("nearest_name: of several the one with the fewest edits, of equal ones the first") {
  CHECK(nearest_name("mUTIL", kNames) == "sUTIL");  // one replaced; to vmaUTIL two added
  constexpr std::array<std::string_view, 2> kTwins{"bat", "cat"};
  CHECK(nearest_name("rat", kTwins) == "bat");
}

TEST_CASE("valid_names_text: one suggestion, or all names") {
  CHECK(valid_names_text("compar", kNames) == "did you mean 'compare'?");
  CHECK(valid_names_text("sing", std::span(kNames).first(2)) == "valid names: compare, summary");
  CHECK(valid_names_text("x", std::span(kNames).last(1), "valid options") == "valid options: otn");
}

}  // namespace
}  // namespace cospot
