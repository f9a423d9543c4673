#include <doctest/doctest.h>

#include <limits>

#include "sim_harness/base/json/json.hpp"

namespace cospot {

TEST_CASE("text_of: numbers have the fewest digits that read back the same") {
  const Json json{{"b", Json::array({json_of(216.052543), json_of(0.3393805763490437)})},
                  {"a", {{"whole", json_of(4)}, {"none", json_of(std::nullopt)}}}};
  CHECK(text_of(json) == R"({"b":[216.052543,0.3393805763490437],"a":{"whole":4,"none":null}})");
  CHECK(text_of(json_of(1e15)) == "1000000000000000");
  CHECK(text_of(json_of(1e-5)) == "1e-05");
  CHECK(text_of(std::numeric_limits<double>::infinity()) == "null");
  CHECK(text_of(Json::array()) == "[]");
  CHECK(text_of(Json::object()) == "{}");
}

TEST_CASE("text_of: what no JSON could hold of a text is replaced") {
  CHECK(text_of("a \"b\"\n") == R"("a \"b\"\n")");
  CHECK(text_of("a\xff") == "\"a\xef\xbf\xbd\"");
}

}  // namespace cospot
