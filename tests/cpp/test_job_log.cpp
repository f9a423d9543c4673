#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/data/jobs/job_log.hpp"
#include "sim_harness/data/jobs/mapped_jobs.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string job_log_error(const std::string& text) {
  return error_text<WorkloadError>([&] { (void)parse_job_log(text, "jobs"); });
}

TEST_CASE("mapped jobs: ids are texts, and None is no value") {
  const ScratchFolder folder;
  const auto file = folder.write("jobs.csv",
                                 "at,runs,account,limit\n0,60,007,None\n0,60,7,10\n"
                                 "0,60,1e3,NULL\n0,60,1000,\n0,60,None,5\n");
  const JobColumns columns{.map = {{"submission_s", "at"},
                                   {"duration_s", "runs"},
                                   {"user", "coalesce(account, 'nobody')"},
                                   {"estimate_s", "\"limit\" * 60"}}};
  const JobLog log = read_mapped_jobs(file, columns);
  REQUIRE(log.jobs.size() == 5);
  for (std::int32_t i = 0; i < 5; ++i) {
    CAPTURE(i);
    CHECK(log.jobs[static_cast<std::size_t>(i)].user == i);  // five users, in order
    const bool has_limit = i == 1 || i == 4;
    CHECK(log.jobs[static_cast<std::size_t>(i)].estimate.has_value() == has_limit);
  }
  CHECK(log.jobs[1].estimate == seconds(600));  // 10 min
}

TEST_CASE("mapped jobs: what sacct prints, with expressions, a condition and a time zone") {
  const ScratchFolder folder;
  const auto file =
      folder.write("sacct.txt",
                   "JobID|User|Submit|ElapsedRaw|AllocCPUS|ReqMem|TimelimitRaw|State\n"
                   "1|ann|2026-03-29T01:30:00|7200|4|4000M|240|COMPLETED\n"
                   "2|bob|Unknown|0|0|2G|60|CANCELLED by 0\n"
                   "3|ann \"a\", b|2026-03-29T03:30:00|3600|1|2G|UNLIMITED|COMPLETED\n");
  JobColumns columns{
      .map = {{"submission_s", "Submit"},
              {"duration_s", "ElapsedRaw"},
              {"nodes", "AllocCPUS"},
              {"user", "User"},
              {"estimate_s", "nullif(TimelimitRaw, 'UNLIMITED') * 60"},
              {"memory_mb",
               "cast(ReqMem as real) * case when ReqMem like '%G' then 1024 else 1 end"}},
      .only = "State = 'COMPLETED'",
      .separator = '|',
      .zone = TimeZone::named("Europe/Berlin", "zone")};
  const JobLog log = read_mapped_jobs(file, columns);
  REQUIRE(log.jobs.size() == 2);
  CHECK(log.sha256 == sha256_hex(read_stored_file(file)));
  CHECK(log.jobs[0].submission == seconds(1'774'744'200));  // date -u -d '2026-03-29 00:30' +%s
  CHECK(log.jobs[0].duration == seconds(7200));
  CHECK(log.jobs[0].processors == 4);
  CHECK(log.jobs[0].estimate == seconds(14'400));  // 240 min
  CHECK(log.jobs[0].memory_mb == 4000);
  CHECK(log.jobs[0].user == 0);
  // Clocks skipped an hour between the two: 03:30 is 01:30 UTC.
  CHECK(log.jobs[1].submission - log.jobs[0].submission == seconds(3600));
  CHECK(log.jobs[1].user == 1);
  CHECK_FALSE(log.jobs[1].estimate.has_value());
  CHECK(log.jobs[1].memory_mb == 2048);

  const auto error = [&] {
    const std::string text = error_text<InputError>([&] { (void)read_mapped_jobs(file, columns); });
    return text.substr(text.find("sacct.txt") == std::string::npos ? 0 : text.find("sacct.txt"));
  };
  columns.only.clear();  // the place is that of the file, not of the rows that count
  CHECK(error() ==
        "sacct.txt:3: submission_s is 'Unknown', expected a number of seconds, or a date such as "
        "2024-05-01T12:00:00Z");
  columns.only = "State = 'COMPLETED'";
  columns.map[4].second = "TimelimitRaw * 60";
  CHECK(error() ==
        "sacct.txt:4: TimelimitRaw is 'UNLIMITED', expected a number, or nothing: "
        "jobs.map.estimate_s uses it as a number");
  columns.map[4].second = "nullif(TimelimitRaw, 'Partition_Limit') * 60";
  CHECK(error() ==
        "sacct.txt:4: TimelimitRaw is 'UNLIMITED', expected a number, nothing, or "
        "'Partition_Limit': jobs.map.estimate_s uses it as a number");
  columns.map[4].second = "Timelimit";
  CHECK(error() ==
        "jobs.map.estimate_s 'Timelimit': no such column: Timelimit; the columns are JobID, User, "
        "Submit, ElapsedRaw, AllocCPUS, ReqMem, TimelimitRaw, State");
  columns.map.pop_back();
  columns.map.pop_back();
  columns.only = "State = 'RUNNING'";
  CHECK(error() == "sacct.txt: no row counts as a job, expected some");
  columns.only = "";
  columns.map.erase(columns.map.begin());
  CHECK(error() ==
        "sacct.txt:1: the column 'submission_s' is missing, expected "
        "submission_s,duration_s[,nodes,...] or interarrival,service");
  columns.map.clear();
  CHECK(error() ==
        "sacct.txt: the columns are JobID, User, Submit, ElapsedRaw, AllocCPUS, ReqMem, "
        "TimelimitRaw, State, expected some of submission_s, duration_s, nodes, user, estimate_s, "
        "deadline_s, parallelism, sigma, memory_mb; jobs.map says which column is which");
}

TEST_CASE("SWF: the 18 fields, in the order of the standard") {
  const JobLog log = parse_job_log(
      "; Version: 2.2\n;   MaxProcs:  128 \n; a note without a key\n;\n"
      "  7  100 20 3000 4 5.5 600 8 9000 1000 1 12 13 14 15 16 6 18\n",
      "jobs");
  REQUIRE(log.jobs.size() == 1);
  CHECK(log.statement("MaxProcs") == "128");
  CHECK_FALSE(log.statement("MaxNodes").has_value());
  const Job& job = log.jobs[0];
  CHECK(job == Job{.id = 7,
                   .line = 5,
                   .submission = seconds(100),
                   .wait = seconds(20),
                   .duration = seconds(3000),
                   .processors = 4,
                   .average_cpu_s = 5.5,
                   .used_memory_kb = 600,
                   .requested_processors = 8,
                   .requested_time = seconds(9000),
                   .requested_memory_kb = 1000,
                   .status = 1,
                   .user = 12,
                   .group = 13,
                   .application = 14,
                   .queue = 15,
                   .partition = 16,
                   .preceding_job = 6,
                   .think_time = seconds(18)});
  CHECK(job.start() == seconds(120));
}

TEST_CASE("SWF: -1 is unknown; a log without comments and with more fields is one too") {
  const JobLog log =
      parse_job_log("1 50 -1 -1 -1 -1 -1 3 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 {} q_1d 1:ppn=64", "jobs");
  const Job& job = log.jobs.at(0);
  CHECK(job == Job{.id = 1, .line = 1, .submission = seconds(50), .requested_processors = 3});
  CHECK(job.start() == seconds(50));
  CHECK(job.width() == 3);
  // An end of 0 minus the start, 50 + 2: an end that was not recorded.
  const Job open =
      parse_job_log("1 50 2 -52 1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", "jobs").jobs[0];
  CHECK_FALSE(open.duration.has_value());
}

std::string swf_line(std::int64_t job, const char* submission, int status) {
  return fmt::format("{} {} 0 60 1 -1 -1 1 -1 -1 {} 1 1 1 1 1 -1 -1\n", job, submission, status);
}

TEST_CASE("SWF: a stretch is no job beside the line of the whole; without one it is") {
  // Job 1 has a line for the whole, and three stretches, of which the standard states no
  // submission after the first; job 2 failed; of job 3 there is a stretch only.
  const JobLog log =
      parse_job_log(swf_line(1, "0", 1) + swf_line(1, "0", 2) + swf_line(2, "5", 0) +
                        swf_line(1, "-1", 2) + swf_line(1, "-1", 4) + swf_line(3, "9", 3),
                    "jobs");
  REQUIRE(log.jobs.size() == 3);
  CHECK(log.jobs[0].status == 1);
  CHECK(log.jobs[1].id == 2);
  CHECK(log.jobs[2].line == 6);
  CHECK(log.place(log.jobs[2]) == "jobs:6");
}

TEST_CASE("SWF: unknown in any notation of -1, ids of 64 bits, comments in any encoding") {
  const JobLog log = parse_job_log(
      "; Institut f\xfcr Informatik\n; MaxProcs: 8\n"
      "9007199254740993 7 -1.0 60 -1.00 -1 -1 2 -1 -1 1 70296325381051 4294967296 -1 -1e0 9 -1 "
      "-1\n",
      "jobs");
  CHECK(log.jobs.at(0) == Job{.id = 9'007'199'254'740'993,  // 2^53 + 1: no double holds it
                              .line = 3,
                              .submission = seconds(7),
                              .duration = seconds(60),
                              .requested_processors = 2,
                              .status = 1,
                              .user = 70'296'325'381'051,
                              .group = 4'294'967'296,
                              .partition = 9});
  CHECK(log.statement("MaxProcs") == "8");
  CHECK(job_log_error("1 0 0 60 1 -1 -1 1 -1 -1 1 \xfc 1 1 1 1 -1 -1") ==
        "jobs:1: the line is not UTF-8 text");
}

TEST_CASE("job log: the window goes from the first start to the last submission") {
  // Submitted at 0, 10 and 20 s; started at 15, 10 and 90 s.
  JobWindow window;
  window.add({.submission = seconds(0), .wait = seconds(15), .duration = seconds(9)});
  window.add({.submission = seconds(10), .duration = seconds(1)});
  window.add({.submission = seconds(20), .wait = seconds(70), .duration = seconds(99)});
  CHECK(window.begin == seconds(10));
  CHECK(window.end == seconds(20));
  require_time(window, "jobs");
  JobWindow one;
  const auto error = [&one] {
    return error_text<WorkloadError>([&one] { require_time(one, "jobs"); });
  };
  CHECK(error() == "jobs: no job has a run time above 0, expected some that have one");
  one.add({.duration = seconds(5)});
  CHECK(error() ==
        "jobs: no job is submitted after the first one has started, so there is no time in which "
        "all jobs are known; expected some");
}

TEST_CASE("job logs: times that no workload could have") {
  // 10,001 days are 864,086,400 s.
  CHECK(contains(job_log_error("1 0 0 864086401 1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1"),
                 "run time (field 4) is '864086401', expected seconds, at most 864086400"));
  CHECK(
      contains(job_log_error(swf_line(1, "7", 1) + swf_line(2, "864086408", 1)),
               "jobs:2: submit time (field 2) is '864086408', expected a time within 10001 days"));
  CHECK(job_log_error("submission_s,duration_s\n0,864086401\n") ==
        "jobs:2: duration_s is '864086401', expected at most 864086400 seconds");
  CHECK(job_log_error("submission_s,duration_s\n1700000000,1\n9999-01-01,1\n") ==
        "jobs:3: submission_s is '9999-01-01', expected a time within 10001 days of those of the "
        "other rows");
}

TEST_CASE("SWF: what is wrong, on which line, and what was expected") {
  CHECK(job_log_error("; one\n1 2 3\n") == "jobs:2: 3 fields, expected 18 of an SWF job");
  CHECK(job_log_error("1 0 0 -5 1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1") ==
        "jobs:1: run time (field 4) is '-5', expected a number from 0, or -1 where it is unknown");
  CHECK(job_log_error("1 0 0 5 1.5 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1") ==
        "jobs:1: processors (field 5) is '1.5', expected a whole number up to 2147483647, or -1 "
        "where "
        "it is unknown");
  CHECK(job_log_error("1 0 0 5 many -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1") ==
        "jobs:1: processors (field 5) is 'many', expected a number, -1 where it is unknown");
  CHECK(job_log_error("1 -1 0 5 1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1") ==
        "jobs:1: submit time (field 2) is '-1', expected seconds from 0");
  CHECK(job_log_error("; only a comment\n") == "jobs:1: the log ends here, expected jobs");
}

TEST_CASE("job CSV: columns by name, others ignored, one node unless stated") {
  const JobLog log =
      parse_job_log("id,duration_s,submission_s\r\n9,2.5,165660492\r\n8,0,-4\r\n", "jobs");
  REQUIRE(log.jobs.size() == 2);
  CHECK(log.jobs[0] ==
        Job{.id = 1, .line = 2, .submission = seconds(165660492), .duration = milliseconds(2500)});
  CHECK(log.jobs[0].width() == 1);
  CHECK(log.jobs[1].submission == seconds(-4));
  CHECK(parse_job_log("submission_s,duration_s,nodes\n1,2,3", "jobs").jobs[0].width() == 3);
}

TEST_CASE("job CSV: what a customer knows of jobs; empty where it is unknown") {
  const JobLog log = parse_job_log(
      "submission_s,duration_s,user,estimate_s,deadline_s,parallelism,sigma,memory_mb\n"
      "10,60,ann,90,500,4,0.5,2048\n20,60,bob,,,,,\n30,60,ann,,31,1,,0\n",
      "jobs");
  REQUIRE(log.jobs.size() == 3);
  CHECK(log.jobs[0] == Job{.id = 1,
                           .line = 2,
                           .submission = seconds(10),
                           .duration = seconds(60),
                           .user = 0,
                           .estimate = seconds(90),
                           .deadline = seconds(500),
                           .parallelism = 4,
                           .sigma = 0.5,
                           .memory_mb = 2048});
  CHECK(log.jobs[1] ==
        Job{.id = 2, .line = 3, .submission = seconds(20), .duration = seconds(60), .user = 1});
  CHECK(log.jobs[2].user == 0);
  CHECK(log.jobs[2].deadline == seconds(31));
}

TEST_CASE("job CSV: submissions and deadlines may be dates, with an offset or in UTC") {
  const JobLog log = parse_job_log(
      "submission_s,duration_s,deadline_s\n2026-03-09 01:00:00,60,2026-03-09T04:00:00+02:00\n",
      "jobs");
  // 1,773,014,400 s is 2026-03-09T00:00:00Z; 04:00 at +02:00 is an hour after 01:00 UTC.
  CHECK(log.jobs.at(0).submission == seconds(1'773'014'400 + 3600));
  CHECK(log.jobs.at(0).deadline == seconds(1'773'014'400 + 7200));
  CHECK(job_log_error("submission_s,duration_s\n9.3.26,1\n") ==
        "jobs:2: submission_s is '9.3.26', expected a number of seconds, or a date such as "
        "2024-05-01T12:00:00Z");
  CHECK(job_log_error("submission_s,duration_s,deadline_s\n2026-03-09,1,99\n") ==
        "jobs:2: deadline_s is '99', expected a date after the submission");
}

TEST_CASE("job CSV: deadlines before the submission and other impossible values are refused") {
  const auto row = [](const char* column, const char* value) {
    return job_log_error(std::string("submission_s,duration_s,") + column + "\n5,1," + value +
                         "\n");
  };
  CHECK(row("deadline_s", "5") ==
        "jobs:2: deadline_s is '5', expected seconds after the submission");
  CHECK(row("parallelism", "0.5") == "jobs:2: parallelism is '0.5', expected a number from 1");
  CHECK(row("memory_mb", "-1") == "jobs:2: memory_mb is '-1', expected a number from 0");
  CHECK(row("sigma", "much") == "jobs:2: sigma is 'much', expected a number from 0");
  CHECK(row("estimate_s", "-2") == "jobs:2: estimate_s is '-2', expected seconds from 0");
  CHECK(
      contains(job_log_error("interarrival,service,deadline_s\n1,2,9\n"), "as submission_s does"));
}

TEST_CASE("job CSV: the tables of hpcwld give the time since the row before") {
  const JobLog log = parse_job_log(
      "interarrival,service,cores_requested,cores_used,delays\n423,7,80,80,0\n136,9,10,16,1\n",
      "jobs");
  // 423 + 136 = 559 s; it waited 1 s.
  CHECK(log.jobs[1] == Job{.id = 2,
                           .line = 3,
                           .submission = seconds(559),
                           .wait = seconds(1),
                           .duration = seconds(9),
                           .processors = 16});
  CHECK(log.jobs[1].start() == seconds(560));
  CHECK(parse_job_log("interarrival,service,cores_used\n1,2,0\n", "jobs").jobs[0].width() == 0);
}

TEST_CASE("job CSV: what is wrong, on which line, and what was expected") {
  CHECK(job_log_error("submission_s,duration_s\n5,-1\n") ==
        "jobs:2: duration_s is '-1', expected seconds from 0");
  CHECK(job_log_error("submission_s,duration_s\n5\n") ==
        "jobs:2: 1 fields, expected 2 as in the header line");
  CHECK(job_log_error("submission_s,duration_s\nsoon,1\n") ==
        "jobs:2: submission_s is 'soon', expected a number of seconds, or a date such as "
        "2024-05-01T12:00:00Z");
  CHECK(job_log_error("submission_s,duration_s,nodes\n5,1,0\n") ==
        "jobs:2: nodes is '0', expected a whole number from 1 to 2147483647");
  CHECK(contains(job_log_error("submission_s,nodes\n5,1\n"),
                 "the column 'duration_s' is missing, expected submission_s,duration_s"));
  CHECK(contains(job_log_error("duration_s,service,submission_s\n5,1,1\n"), "say the same"));
  CHECK(job_log_error("submission_s,duration_s\n") ==
        "jobs:1: the file has a header line but no jobs");
  CHECK(contains(job_log_error("name,age\n"), "is not the first line of a job log, expected SWF"));
  CHECK(contains(job_log_error("submission_s,duration_s\n1,\x01\n"),
                 "jobs:2: byte 0x01 is not text"));
}

TEST_CASE("read_job_log: gzip as well as plain, with the SHA-256 of what is stored") {
  const ScratchFolder folder;
  const std::string text = "submission_s,duration_s\n1,2\n";
  const std::string packed = pack_gzip(text);
  const JobLog log = read_job_log(folder.write("jobs.csv.gz", packed));
  CHECK(log.jobs == parse_job_log(text, "jobs").jobs);
  CHECK(log.sha256 == sha256_hex(packed));
  const auto cut = folder.write("cut.csv.gz", packed.substr(0, packed.size() - 9));
  CHECK(contains(error_text<WorkloadError>([&] { (void)read_job_log(cut); }), "truncated"));
}

TEST_CASE("read_job_log: real logs") {
  const char* data = std::getenv("COSPOT_DATA");
  if (data == nullptr) return;
  const std::filesystem::path folder = data;
  const auto jobs = [&](const char* path) { return read_job_log(folder / path).jobs; };
  const auto lhc = jobs("lcg2005_swf/LCG-2005-1.swf.gz");
  CHECK(lhc.size() == 188041);
  CHECK(std::ranges::count_if(lhc, [](const Job& job) { return job.duration <= seconds(0); }) ==
        521);
  const auto nasa = read_job_log(folder / "nasa_ipsc_swf/NASA-iPSC-1993-3.1-cln.swf.gz");
  CHECK(nasa.jobs.size() == 18239);
  CHECK(nasa.statement("MaxProcs") == "128");
  // Two of its jobs have an end of 0.
  const auto wagap = jobs("wagap2013_swf/wagap-2013.nodelists-removed.swf.gz");
  CHECK(wagap.size() == 17900);
  CHECK(std::ranges::count_if(wagap, [](const Job& job) { return !job.duration; }) == 2);
  CHECK(jobs("surf_lisa_jobs/surf_lisa_jobs_2022_Jul_Oct.csv.gz").size() == 194917);
  CHECK(jobs("krc_hpc_jobs/HPC_KRC_jobs_2009_2011.csv.gz").size() +
            jobs("krc_hpc_jobs/HPC_KRC2_jobs.csv.gz").size() ==
        8281 + 9389);
}

}  // namespace
}  // namespace cospot
