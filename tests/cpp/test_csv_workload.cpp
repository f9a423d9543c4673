#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

const std::string kOwnHeader =
    "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s\n";
const std::string kReleaseHeader = "vmId,tenantId,cores,ram,vmTypeId,starttime,endtime\n";

std::string own(const std::string& rows) { return kOwnHeader + rows; }
std::string release(const std::string& rows) { return kReleaseHeader + rows; }

/// The error that parsing `text` as the file "w.csv" gives; empty when it gives none.
std::string workload_error(const std::string& text) {
  try {
    (void)parse_workload(text, "w.csv");
  } catch (const WorkloadError& error) {
    return error.what();
  }
  return {};
}

std::string workload_file_error(const std::filesystem::path& path) {
  try {
    (void)read_workload(path);
  } catch (const WorkloadError& error) {
    return error.what();
  }
  return {};
}

TEST_CASE("parse_workload: the CoSpot release's schema") {
  // 0.5 days are 43,200 s. -1.157401129603386e-05 days (a number of the release) are
  // -0.99999457597... s, which rounds to -999,995 us (-999,994.58).
  const Workload workload = parse_workload(
      release("7,t1,30.0,7.0,0,-1497.0,inf\r\n8,t2,42,14,1,-1.157401129603386e-05,0.5"), "w.csv");
  REQUIRE(workload.rows.size() == 2);
  CHECK(workload.name == "w.csv");
  CHECK(workload.window == 14 * kDay);
  const WorkloadRow& vm = workload.rows[0];
  CHECK(vm.id == "7");
  CHECK(vm.tenant == "t1");
  CHECK(vm.resources == ResourceVector{.vcpus = 30, .memory_mb = 7, .disk_gb = 0});
  CHECK(vm.instance_class == InstanceClass::kVm);
  CHECK(vm.start == -1497 * kDay);
  CHECK(vm.end == kNever);
  const WorkloadRow& spot = workload.rows[1];
  CHECK(spot.instance_class == InstanceClass::kSpot);
  CHECK(spot.start == microseconds(-999'995));
  CHECK(spot.end == seconds(43'200));
}

TEST_CASE("parse_workload: cospot's own schema, columns in any order, disk_gb optional") {
  const Workload workload = parse_workload(own("a,t,spot,2,4096,50,-1.5,0.000001\n"
                                               "b,t,vm,1,0,0,-0.25,\n"
                                               "c,\xc3\xa9t\xc3\xa9 1,vm,1,1,0,3,never\n"),
                                           "w.csv");
  REQUIRE(workload.rows.size() == 3);
  CHECK(workload.rows[0].resources == ResourceVector{.vcpus = 2, .memory_mb = 4096, .disk_gb = 50});
  CHECK(workload.rows[0].is_spot());
  CHECK(workload.rows[0].start == microseconds(-1'500'000));
  CHECK(workload.rows[0].end == microseconds(1));
  CHECK(workload.rows[1].start == microseconds(-250'000));
  CHECK(workload.rows[1].end == kNever);
  CHECK(workload.rows[2].tenant == "\xc3\xa9t\xc3\xa9 1");
  CHECK(workload.rows[2].end == kNever);

  const Workload turned = parse_workload(
      "end_s,start_s,memory_mb,vcpus,class,tenant_id,instance_id\n"
      "9,8,7,6,vm,t,a\n",
      "w.csv");
  CHECK(turned.rows[0].resources == ResourceVector{.vcpus = 6, .memory_mb = 7});
  CHECK(turned.rows[0].start == seconds(8));
  CHECK(turned.rows[0].end == seconds(9));
}

TEST_CASE("parse_workload: line ends, byte order mark, a life of no length") {
  const std::string row = "a,t,vm,1,1,0,5,5";
  for (const std::string& text : {own(row), own(row + "\n"), own(row + "\r\n"), own(row + "\n\n\n"),
                                  "\xef\xbb\xbf" + own(row)}) {
    const Workload workload = parse_workload(text, "w.csv");
    REQUIRE(workload.rows.size() == 1);
    CHECK(workload.rows[0].end == workload.rows[0].start);
  }
}

std::string found(const std::string& text) { return text.empty() ? "empty" : "'" + text + "'"; }

TEST_CASE("parse_workload: the header line decides, and says what is wrong with it") {
  const std::string empty =
      "w.csv:1: the file is empty, expected a header line with "
      "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s or "
      "vmId,tenantId,vmTypeId,cores,ram,starttime,endtime, and requests";
  CHECK(workload_error("") == empty);
  CHECK(workload_error("\n\r\n") == empty);
  CHECK(workload_error(kOwnHeader) == "w.csv:1: the file has a header line but no requests");
  CHECK(workload_error("time,cpu\n1,2\n") ==
        "w.csv:1: the header line has none of the columns, expected "
        "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s or "
        "vmId,tenantId,vmTypeId,cores,ram,starttime,endtime; `cospot workload import` makes a "
        "workload of another table");
  CHECK(workload_error("vmId,tenantId,cores,ram,priority,starttime,endtime\n") ==
        "w.csv:1: unknown column 'priority', expected "
        "vmId,tenantId,vmTypeId,cores,ram,starttime,endtime; `cospot workload import` makes a "
        "workload of another table");
  CHECK(workload_error("vmId,tenantId,cores,ram,starttime,endtime\n1,1,1,1,1,1\n") ==
        "w.csv:1: the column 'vmTypeId' is missing, expected "
        "vmId,tenantId,vmTypeId,cores,ram,starttime,endtime");
  CHECK(workload_error("vmId,tenantId,cores,ram,starttime\n1,1,1,1,1\n") ==
        "w.csv:1: the columns 'vmTypeId', 'endtime' are missing, expected "
        "vmId,tenantId,vmTypeId,cores,ram,starttime,endtime");
  CHECK(workload_error("vmId,vmId,tenantId,cores,ram,vmTypeId,starttime,endtime\n") ==
        "w.csv:1: the column 'vmId' comes twice");
  // An unnamed column, such as the index that pandas writes.
  CHECK(workload_error("," + kReleaseHeader).starts_with("w.csv:1: unknown column ''"));
}

TEST_CASE("parse_workload: a row is refused with its line, column, value and what was expected") {
  const std::string good = "a,t,vm,1,1,0,5,6\n";
  CHECK(workload_error(own(good + "b,t,vm,1,1,0,5\n")) ==
        "w.csv:3: 7 fields, expected 8 as in the header line");
  CHECK(workload_error(own(good + "b,t,vm,1,1,0,5,6,7,8,9,10\n")) ==
        "w.csv:3: 12 fields, expected 8 as in the header line");
  CHECK(workload_error(own("\n" + good)) == "w.csv:2: 0 fields, expected 8 as in the header line");
  CHECK(workload_error(own(good + "b,t,vm,1,1,0,5,6\n" + good)) ==
        "w.csv:4: the id 'a' is that of line 2 too, expected unique ids");
  CHECK(workload_error(own(",t,vm,1,1,0,5,6\n")) ==
        "w.csv:2: instance_id is empty, expected a name");
  CHECK(workload_error(own("a,,vm,1,1,0,5,6\n")) == "w.csv:2: tenant_id is empty, expected a name");
  CHECK(workload_error(own("\"a\"\"\",t,vm,1,1,0,5,6\n")) ==
        "w.csv:2: instance_id is 'a\"', expected a name without commas and quotation marks");
  CHECK(workload_error(own("a,t,Spot,1,1,0,5,6\n")) ==
        "w.csv:2: class is 'Spot', expected vm or spot");
  for (const std::string priority : {"2", "-1", "", "0.0", "spot"}) {
    CHECK(workload_error(release("a,t,1,1," + priority + ",5,6\n")) ==
          "w.csv:2: vmTypeId is '" + priority + "', expected a priority: 0 (VM) or 1 (spot)");
  }
}

TEST_CASE("parse_workload: amounts are whole numbers in range") {
  for (const std::string cores : {"0", "-1", "1.5", "1e300", "-1e300", "nan", "inf", "", " 1", "1x",
                                  "0x10", "67108865", "99999999999999999999"}) {
    CHECK(workload_error(release("a,t," + cores + ",1,0,5,6\n")) ==
          "w.csv:2: cores is " + found(cores) + ", expected a whole number from 1 to 67108864");
  }
  CHECK(workload_error(own("a,t,vm,1,-1,0,5,6\n")) ==
        "w.csv:2: memory_mb is '-1', expected a whole number from 0 to 67108864");
  CHECK(workload_error(own("a,t,vm,1,1,0.5,5,6\n")) ==
        "w.csv:2: disk_gb is '0.5', expected a whole number from 0 to 67108864");
  CHECK(workload_error(own("a,t,vm,1,1,,5,6\n")) ==
        "w.csv:2: disk_gb is empty, expected a whole number from 0 to 67108864");
  CHECK(parse_workload(release("a,t,67108864.0,1,0,5,6"), "w").rows[0].resources.vcpus ==
        67'108'864);
  // A long value is cut, not in the middle of a character.
  CHECK(workload_error(own("a,t,vm," + std::string(39, '9') + "\xc3\xa9" + std::string(99, '9') +
                           ",1,0,5,6\n"))
            .find("'" + std::string(39, '9') + "...'") != std::string::npos);
}

TEST_CASE("parse_workload: times are finite, in range and in order") {
  for (const std::string time : {"nan", "inf", "-inf", "1e300", "-1e300", "", "1d", "10000.1"}) {
    CHECK(workload_error(release("a,t,1,1,0," + time + ",inf\n")) ==
          "w.csv:2: starttime is " + found(time) + ", expected days from -10000 to 10000");
  }
  for (const std::string time : {"nan", "-inf", "1e300", "", "never"}) {
    CHECK(workload_error(release("a,t,1,1,0,1," + time + "\n")) ==
          "w.csv:2: endtime is " + found(time) +
              ", expected days from -10000 to 10000, or inf when it never ended");
  }
  for (const std::string time :
       {"nan", "inf", "never", "", "-", ".", "1.", ".5", "1.0000001", "1e3", "--1", "+1", "1.5.5",
        "864000000.000001", "1700000000", "99999999999999999999", "1-"}) {
    CHECK(workload_error(own("a,t,vm,1,1,0," + time + ",\n")) ==
          "w.csv:2: start_s is " + found(time) +
              ", expected seconds with up to 6 decimals, from -864000000 to 864000000");
  }
  CHECK(workload_error(own("a,t,vm,1,1,0,6,inf\n")) ==
        "w.csv:2: end_s is 'inf', expected seconds with up to 6 decimals, from -864000000 to "
        "864000000, or never when it never ended");
  CHECK(workload_error(own("a,t,vm,1,1,0,6,5.999999\n")) ==
        "w.csv:2: end_s '5.999999' is before start_s '6'");
  CHECK(parse_workload(own("a,t,vm,1,1,0,-864000000,864000000"), "w").rows[0].start ==
        -10'000 * kDay);
}

TEST_CASE("parse_workload: what is not text is refused with its line") {
  const std::string good = "a,t,vm,1,1,0,5,6\n";
  const std::string expected = " is not text, expected UTF-8, plain or gzip";
  CHECK(workload_error(own(good) + std::string("\0", 1)) == "w.csv:3: byte 0x00" + expected);
  CHECK(workload_error("\x7f"
                       "ELF") == "w.csv:1: byte 0x7f" + expected);
  CHECK(workload_error(own("a\rb,t,vm,1,1,0,5,6")) ==
        "w.csv:2: a CR stands alone, expected lines that end with LF or CR LF");
  // A Latin-1 e acute, a lone continuation, an overlong slash, a surrogate, beyond Unicode, cut.
  for (const std::string bytes :
       {"\xe9,", "\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xe2\x82", "\xf0\x80\x80\x80"}) {
    CHECK(workload_error(own(good + bytes)).ends_with(expected));
  }
}

TEST_CASE("read_workload: plain and gzip files give the same rows; the digest is of the file") {
  const ScratchFolder folder;
  const std::string text = own("a,t,vm,1,1,0,5,6\n");
  const std::string packed = pack_gzip(text);
  const Workload plain = read_workload(folder.write("w.csv", text));
  // Told by the content, not by the name; two members are one text, as gzip has it.
  const Workload gzip = read_workload(folder.write("w.csv.gz", packed));
  const Workload odd_name = read_workload(folder.write("w", packed));
  const Workload members =
      read_workload(folder.write("m", packed + pack_gzip("b,t,vm,1,1,0,5,6\n")));
  CHECK(plain.rows == gzip.rows);
  CHECK(odd_name.rows == gzip.rows);
  CHECK(members.rows.size() == 2);
  CHECK(plain.sha256 == sha256_hex(text));
  CHECK(gzip.sha256 == sha256_hex(packed));
  CHECK(plain.name == (folder / "w.csv").string());
}

TEST_CASE("read_workload_schema: by the header line, plain or gzip") {
  const ScratchFolder folder;
  const std::string text = own("a,t,vm,1,2,0,0,1\n");
  CHECK(read_workload_schema(folder.write("own.csv", text)) == WorkloadSchema::kCospot);
  CHECK(read_workload_schema(folder.write("own.csv.gz", pack_gzip(text))) ==
        WorkloadSchema::kCospot);
  CHECK(read_workload_schema(folder.write("release.csv", release("1,1,1,1,0,0,inf\n"))) ==
        WorkloadSchema::kSocc22);
  CHECK_THROWS_AS((void)read_workload_schema(folder.write("other.csv", "x,y\n")), WorkloadError);
}

TEST_CASE("read_vcpus_unit: what stands before the header line may follow a byte order mark") {
  const ScratchFolder folder;
  const std::string text =
      "\xef\xbb\xbf# window_days: 2\n# vcpus_unit: 0.5\n" + own("a,t,vm,1,1,0,5,6");
  CHECK(read_vcpus_unit(folder.write("marked.csv", text)) == VcpusUnit{.vcpus = 0.5});
  CHECK(read_vcpus_unit(folder.write("plain.csv", text.substr(3))) == VcpusUnit{.vcpus = 0.5});
}

TEST_CASE("read_workload: files that cannot be read, in part or at all") {
  const ScratchFolder folder;
  const auto error = [&](const std::string& name) {
    return workload_file_error(folder / name).substr(folder.path().string().size() + 1);
  };
  CHECK(error("none.csv") == "none.csv: cannot be read: No such file or directory");
  CHECK(workload_file_error(folder.path()) ==
        folder.path().string() + ": cannot be read: it is a directory, expected a file");
  std::string rows;
  for (int i = 0; i < 3000; ++i) rows += std::to_string(i * 7919) + ",t,vm,1,1,0,5,6\n";
  const std::string packed = pack_gzip(own(rows));
  for (const std::size_t size :
       {std::size_t{2}, std::size_t{9}, packed.size() / 2, packed.size() - 8, packed.size() - 1}) {
    (void)folder.write("cut.gz", packed.substr(0, size));
    CHECK(error("cut.gz").ends_with(": the gzip data is truncated"));
  }
  std::string damaged = packed;
  damaged[packed.size() / 2] = static_cast<char>(~damaged[packed.size() / 2]);
  (void)folder.write("bad.gz", damaged);
  CHECK(error("bad.gz").ends_with(": the gzip data is corrupt"));
  damaged = packed;
  damaged[packed.size() - 6] = static_cast<char>(~damaged[packed.size() - 6]);  // in the checksum
  (void)folder.write("sum.gz", damaged);
  CHECK(error("sum.gz") == "sum.gz:3002: the gzip data is corrupt");
  (void)folder.write("tail.gz", packed + "garbage");
  CHECK(error("tail.gz") == "tail.gz:3002: the gzip data is corrupt");
  (void)folder.write("empty.csv", "");
  CHECK(error("empty.csv").starts_with("empty.csv:1: the file is empty"));
  (void)folder.write("empty.gz", pack_gzip(""));
  CHECK(error("empty.gz").starts_with("empty.gz:1: the file is empty"));
}

struct PublishedCounts {
  const char* file;
  std::size_t requests, vms, spots, early, never, tenants;
};

TEST_CASE("read_workload: the published workloads") {
  const char* data = std::getenv("COSPOT_DATA");
  if (data == nullptr) {
    MESSAGE("skipped: COSPOT_DATA is not set");
    return;
  }
  // Counted by awk over the unpacked files.
  for (const PublishedCounts& expected : {
           PublishedCounts{"bernoulli/relevant-vm-1pcnt_0", 52509, 46577, 5932, 7396, 4629, 41357},
           PublishedCounts{"bernoulli/relevant-vm-1pcnt_1", 52155, 46281, 5874, 7212, 4553, 41068},
           PublishedCounts{"bernoulli/relevant-vm-1pcnt_2", 52222, 46261, 5961, 7491, 4662, 40920},
           PublishedCounts{"bernoulli/relevant-vm-1pcnt_3", 51796, 45904, 5892, 7189, 4523, 40814},
           PublishedCounts{"bernoulli/relevant-vm-1pcnt_4", 52137, 46250, 5887, 7284, 4666, 40788},
           PublishedCounts{"batched/relevant-vm-1pcnt_0", 52314, 45592, 6722, 7023, 4578, 21624},
           PublishedCounts{"batched/relevant-vm-1pcnt_1", 50855, 44945, 5910, 6874, 4377, 21598},
           PublishedCounts{"batched/relevant-vm-1pcnt_2", 54168, 48271, 5897, 7909, 5010, 21587},
           PublishedCounts{"batched/relevant-vm-1pcnt_3", 50549, 45441, 5108, 7105, 4427, 21636},
           PublishedCounts{"batched/relevant-vm-1pcnt_4", 50988, 46341, 4647, 7234, 4596, 21598},
       }) {
    const auto path = std::filesystem::path(data) / "azure2020-cospot" / expected.file;
    const Workload workload = read_workload(path.string() + ".csv.gz");
    std::size_t spots = 0;
    std::size_t early = 0;
    std::size_t never = 0;
    std::set<std::string> tenants;
    for (const WorkloadRow& row : workload.rows) {
      spots += row.is_spot() ? 1 : 0;
      early += row.start < SimTime(0) ? 1 : 0;
      never += row.end == kNever ? 1 : 0;
      tenants.insert(row.tenant);
    }
    CHECK(workload.rows.size() == expected.requests);
    CHECK(workload.rows.size() - spots == expected.vms);
    CHECK(spots == expected.spots);
    CHECK(early == expected.early);
    CHECK(never == expected.never);
    CHECK(tenants.size() == expected.tenants);
  }
}

}  // namespace
}  // namespace cospot
