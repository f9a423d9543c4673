#include <doctest/doctest.h>

#include "sim_harness/base/text/shell_word.hpp"

namespace cospot {

TEST_CASE("shell_word: what a shell would take apart is quoted") {
  CHECK(shell_word("history.csv.gz") == "history.csv.gz");
  CHECK(shell_word("on-demand=0.04,spot=0.012") == "on-demand=0.04,spot=0.012");
  CHECK(shell_word("my hosts.csv") == "'my hosts.csv'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("") == "''");
}

}  // namespace cospot
