#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "error_text.hpp"
#include "sim_harness/experiments/queue/progress.hpp"

namespace cospot {
namespace {

using Elapsed = std::chrono::duration<double>;

TEST_CASE("progress_text: the rate counts this invocation only, the rest follows from it") {
  // 300 of 400 runs done, 100 of them before; 200 in 4 s = 50 runs/s; 100 left = 2 s.
  CHECK(progress_text({300, 400, 100, Elapsed(4)}) == "300/400 runs  50.0 runs/s  2 s left");
  CHECK(progress_text({400, 400, 100, Elapsed(4)}) == "400/400 runs  75.0 runs/s");
  CHECK(progress_text({100, 400, 100, Elapsed(4)}) == "100/400 runs");
  // 1 of 1001 in 10 s: 10,000 s left = 166.7 min, counted up to 167 = 2 h 47 min.
  CHECK(contains(progress_text({1, 1001, 0, Elapsed(10)}), "2 h 47 min left"));
}

TEST_CASE("ProgressLines: a line for every tenth, and the last one") {
  std::ostringstream log;
  ProgressLines lines(log);
  for (std::size_t done = 0; done <= 100; ++done) lines.update({done, 100, 0, Elapsed(3)});
  lines.finish({100, 100, 0, Elapsed(3)}, true);
  const std::string text = log.str();
  CHECK(std::count(text.begin(), text.end(), '\n') == 10);
  CHECK(text.starts_with("10/100 runs"));
  CHECK(contains(text, "\n100/100 runs"));
}

TEST_CASE("ProgressLines: nothing of work that is over within 2 s, unless it was stopped") {
  std::ostringstream log;
  ProgressLines lines(log);
  for (std::size_t done = 0; done <= 100; ++done) lines.update({done, 100, 0, Elapsed(1)});
  lines.finish({100, 100, 0, Elapsed(1)}, true);
  CHECK(log.str().empty());
  lines.finish({50, 100, 0, Elapsed(1)}, false);
  CHECK(log.str() == "50/100 runs  50.0 runs/s  1 s left (stopped)\n");
}

TEST_CASE("ProgressBar: one line, redrawn no more than ten times a second") {
  std::ostringstream terminal;
  ProgressBar bar(terminal);
  for (std::size_t i = 0; i < 1000; ++i) bar.update({i, 1000, 0, Elapsed(0.001 * double(i))});
  bar.finish({500, 1000, 0, Elapsed(1)}, false);
  const std::string text = terminal.str();
  CHECK(std::count(text.begin(), text.end(), '\r') <= 12);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(contains(text, "[###############...............] 500/1000 runs"));
  CHECK(text.ends_with("(stopped)\n"));
}

}  // namespace
}  // namespace cospot
