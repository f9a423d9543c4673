#include <doctest/doctest.h>

#include "sim_harness/base/text/shell_word.hpp"

namespace cospot {

TEST_CASE("shell_word: what a shell would take apart is quoted") {
  CHECK(shell_word("history.csv.gz") == "history.csv.gz");
  CHECK(shell_word("on-demand=0.04,spot=0.012") == "on-demand=0.04,spot=0.012");
  CHECK(shell_word("my hosts.csv") == "'my hosts.csv'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("") == "''");
  // A command stays on its line, and does nothing to a terminal: \012 and \033 in octal.
  CHECK(shell_word("a\nb") == "$'a\\012b'");
  CHECK(shell_word("it's \x1b[31m\\") == "$'it\\'s \\033[31m\\\\'");
}

}  // namespace cospot
