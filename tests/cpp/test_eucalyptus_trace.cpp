#include <doctest/doctest.h>

#include <string>

#include "core/errors.hpp"
#include "sim_harness/data/workloads/eucalyptus_trace.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

constexpr std::string_view kTrace =
    "START 0 i-1 node-a 4\n"
    "START 10.5 i-2 node-b 12\n"
    "STOP 20 i-1\n"
    "\n"
    "START 20 i-1 node-b 1\r\n"
    "STOP 30 i-2\n";

TEST_CASE("Eucalyptus trace: starts and stops become VMs") {
  const Workload workload = parse_eucalyptus_trace(kTrace, "ds.txt");
  REQUIRE(workload.rows.size() == 3);
  CHECK(workload.rows[0].resources == ResourceVector{4, 0, 0});
  CHECK(workload.rows[0].end == std::chrono::seconds(20));
  CHECK(workload.rows[1].start == std::chrono::milliseconds(10'500));
  CHECK(workload.rows[1].end == std::chrono::seconds(30));
  CHECK(workload.rows[2].start == std::chrono::seconds(20));  // the id starts again
  CHECK(workload.rows[2].end == kNever);                      // and never stops
  CHECK(workload.window > std::chrono::seconds(30));
  CHECK_FALSE(workload.rows[0].is_spot());
}

TEST_CASE("Eucalyptus trace: is told by its first line, plain or gzip") {
  ScratchFolder folder;
  CHECK(is_eucalyptus_trace(folder.write("a.txt", "# a comment\nSTART 0 i n 1\n")));
  CHECK_FALSE(is_eucalyptus_trace(folder.write("b.csv", "instance_id,class\n")));
  CHECK_FALSE(is_eucalyptus_trace(folder.write("c.csv", "")));
  const Workload workload = read_eucalyptus_trace(folder.write("d.txt", std::string(kTrace)));
  CHECK(workload.rows == parse_eucalyptus_trace(kTrace, "d.txt").rows);
}

TEST_CASE("Eucalyptus trace: what is written is read back") {
  Workload workload = parse_eucalyptus_trace(kTrace, "ds.txt");
  workload.rows[2].id = "i-3";                    // ids are unique in a workload
  workload.rows[1].end = workload.rows[1].start;  // ends when it starts
  const Workload read = parse_eucalyptus_trace(eucalyptus_trace_text(workload), "again");
  CHECK(read.rows == workload.rows);
}

TEST_CASE("Eucalyptus trace: what cannot be read says where and what was expected") {
  const auto error = [](std::string_view text) {
    return error_text<WorkloadError>([&] { (void)parse_eucalyptus_trace(text, "t"); });
  };
  CHECK(error("STOP 5 i-1\n") == "t:1: STOP of 'i-1', which does not run: no START before it");
  CHECK(error("START 0 a n 1\nSTART 1 a n 1\n") == "t:2: START of 'a', which runs already");
  CHECK(error("START 9 a n 1\nSTART 8 b n 1\n") == "t:2: time goes backwards: 8 s after 9 s");
  CHECK(error("START 0 a n 0\n") == "t:1: cores is '0', expected a whole number of at least 1");
  CHECK(error("START 0 a n two\n") == "t:1: cores is 'two', expected a whole number of at least 1");
  CHECK(error("START soon a n 1\n") ==
        "t:1: the time is 'soon', expected seconds since the trace began");
  CHECK(error("START -1 a n 1\n") ==
        "t:1: the time is '-1', expected seconds since the trace began");
  CHECK(error("START 0 a n\n") ==
        "t:1: found 'START 0 a n', expected 'START time id node cores' or 'STOP time id'");
  CHECK(error("") == "t:0: no instance starts, expected lines 'START time id node cores'");
}

}  // namespace
}  // namespace cospot
