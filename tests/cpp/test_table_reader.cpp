#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/data/hosts/hosts_file.hpp"
#include "sim_harness/data/jobs/job_log.hpp"
#include "sim_harness/data/markets/availability_trace.hpp"
#include "sim_harness/data/markets/eviction_availability.hpp"
#include "sim_harness/data/markets/price_files.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/data/traces/csv_trace.hpp"
#include "sim_harness/data/usage/forecast_file.hpp"
#include "sim_harness/data/usage/usage_file.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"
#include "sim_harness/provider/disruptions/life_files.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

using Path = std::filesystem::path;

/// One CSV format of the program. The mistakes below are made in its column `number`.
struct Format {
  std::string_view name;
  std::string_view header;
  std::vector<std::string_view> rows;  ///< enough of them for a file that can be used
  std::size_t number;                  ///< the place of a column of numbers in a row
  std::string_view too_large;
  std::function<void(const Path&)> read;
  bool has_other_columns = false;
  bool may_be_empty = false;
  /// Its header line tells the file apart from others, so one that is none has another message.
  bool is_recognised = false;
};

constexpr std::string_view kSocc22Columns = "vmId,tenantId,vmTypeId,priority,starttime,endtime";
constexpr std::string_view kShares = "vmTypeId,machineId,core,memory";

std::string csv(const std::string& header, const std::vector<std::string>& rows) {
  std::string text = header + "\n";
  for (const std::string& row : rows) text += row + "\n";
  return text;
}

/// Reads as requests of a trace, or as its types, with what else it needs.
void read_trace(const ScratchFolder& folder, const Path& file, bool is_types) {
  const Path requests =
      folder.write("requests.csv", std::string(kSocc22Columns) + "\n1,1,1,0,0,1\n");
  CsvTrace trace(is_types ? requests : file, file);
  is_types ? (void)trace.read_shares() : (void)trace.count_requests();
}

std::vector<Format> formats(const ScratchFolder& folder) {
  return {
      {.name = "workload",
       .header = "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s",
       .rows = {"a,t,vm,1,1,0,5"},
       .number = 3,
       .too_large = "67108865",
       .read = [](const Path& file) { (void)read_workload(file); }},
      {.name = "workload of the release",
       .header = "vmId,tenantId,cores,ram,vmTypeId,starttime,endtime",
       .rows = {"1,1,1,1,0,0,1"},
       .number = 5,
       .too_large = "10001",
       .read = [](const Path& file) { (void)read_workload(file); }},
      {.name = "hosts",
       .header = "name,vcpus,memory_mb",
       .rows = {"a,1,1"},
       .number = 1,
       .too_large = "67108865",
       .read = [](const Path& file) { (void)read_hosts_file(file); }},
      {.name = "prices of flavors",
       .header = "vcpus,memory_mb,on_demand,spot",
       .rows = {"1,1,0.1,0.05"},
       .number = 2,
       .too_large = "1e13",
       .read = [](const Path& file) { (void)read_flavor_prices(file); },
       .has_other_columns = true},
      {.name = "jobs",
       .header = "submission_s,duration_s,nodes",
       .rows = {"0,1,1"},
       .number = 1,
       .too_large = "1e12",
       .read = [](const Path& file) { (void)read_job_log(file); },
       .has_other_columns = true,
       .is_recognised = true},
      {.name = "maintenance",
       .header = "host,start_s,end_s,notice_s",
       .rows = {"h,0,5,0"},
       .number = 1,
       .too_large = "864000001",
       .read = [](const Path& file) { (void)read_outages(file, OutageKind::kMaintenance); },
       .may_be_empty = true},
      {.name = "resizes",
       .header = "instance_id,time_s,vcpus,memory_mb",
       .rows = {"a,0,1,1"},
       .number = 2,
       .too_large = "67108865",
       .read = [](const Path& file) { (void)read_resizes(file); },
       .may_be_empty = true},
      {.name = "usage",
       .header = "time_s,capacity,used",
       .rows = {"0,2,1", "300,2,1"},
       .number = 2,
       .too_large = "1e10",
       .read = [](const Path& file) { (void)read_usage(file); }},
      {.name = "forecasts",
       .header = "key,method,model,note,step,point,sigma",
       .rows = {"k,mean,m,,1,2,1"},
       .number = 6,
       .too_large = "1e999",
       .read = [](const Path& file) { (void)read_forecasts(file); },
       .may_be_empty = true},
      {.name = "requests of a trace",
       .header = kSocc22Columns,
       .rows = {"1,1,1,0,0,1"},
       .number = 4,
       .too_large = "10001",
       .read = [&folder](const Path& file) { read_trace(folder, file, false); },
       .has_other_columns = true},
      {.name = "types of a trace",
       .header = kShares,
       .rows = {"1,1,0.5,0.5"},
       .number = 2,
       .too_large = "1.5",
       .read = [&folder](const Path& file) { read_trace(folder, file, true); },
       .has_other_columns = true},
      {.name = "market prices",
       .header = "time,price",
       .rows = {"0,0.1"},
       .number = 1,
       .too_large = "1000001",
       .read = [](const Path& file) { (void)read_price_csv(file); }},
      {.name = "availability",
       .header = "time,available,price",
       .rows = {"0,1,0.1", "600,1,0.1"},
       .number = 1,
       .too_large = "4294967296",
       .read = [](const Path& file) { (void)read_availability_trace(file); },
       .has_other_columns = true},
      {.name = "event log",
       .header = "time_s,event,class",
       .rows = {"0,placement,spot", "600,eviction,spot"},
       .number = 0,
       .too_large = "1e12",
       .read =
           [](const Path& file) {
             (void)read_eviction_availability(file, std::chrono::seconds(300));
           },
       .has_other_columns = true},
  };
}

std::vector<std::string> split(std::string_view line) {
  const std::vector<std::string_view> fields = split_fields(line);
  return {fields.begin(), fields.end()};
}

std::string joined(const std::vector<std::string>& fields, const std::string& separator = ",",
                   const std::string& around = "") {
  std::string line;
  for (const std::string& field : fields) {
    line += (&field == fields.data() ? "" : separator) + around + field + around;
  }
  return line;
}

/// Makes mistakes in a file of one format, and looks at what it is told.
class Mistakes {
 public:
  Mistakes(const ScratchFolder& folder, const Format& format)
      : folder_(folder), format_(format), header_(format.header) {
    for (const std::string_view row : format.rows) rows_.emplace_back(row);
    number_ = split(header_)[format.number];
  }

  [[nodiscard]] std::string read(const std::string& text) const {
    const Path file = folder_.write("f.csv", text);
    return error_text<WorkloadError>([&] { format_.read(file); });
  }
  [[nodiscard]] std::string read(const std::string& header,
                                 const std::vector<std::string>& rows) const {
    return read(csv(header, rows));
  }
  void refuses(const std::string& text, const std::vector<std::string>& parts) const {
    const std::string error = read(text);
    CAPTURE(error);
    CHECK(contains(error, "f.csv"));
    for (const std::string& part : parts) {
      CAPTURE(part);
      CHECK(contains(error, part));
    }
  }
  /// A value of the column of numbers, in the first row.
  void refuses_number(const std::string& value) const {
    std::vector<std::string> fields = split(rows_[0]);
    fields[format_.number] = value;
    std::vector<std::string> rows = rows_;
    rows[0] = joined(fields);
    const std::string found = value.empty() ? "empty" : value;
    CAPTURE(value);
    refuses(csv(header_, rows), {"f.csv:2: " + number_ + " is ", found, ", expected "});
  }

  const ScratchFolder& folder_;
  const Format& format_;
  std::string header_;
  std::vector<std::string> rows_;
  std::string number_;  ///< the column of numbers
};

}  // namespace

TEST_CASE("CSV: every format reads what programs write") {
  const ScratchFolder folder;
  for (const Format& format : formats(folder)) {
    CAPTURE(format.name);
    const Mistakes file(folder, format);
    const std::string text = csv(file.header_, file.rows_);
    CHECK(file.read(text) == "");
    CHECK(file.read("\xef\xbb\xbf" + text) == "");
    CHECK(file.read(pack_gzip(text)) == "");
    CHECK(file.read(text + "\n\r\n") == "");
    CHECK(file.read(text.substr(0, text.size() - 1)) == "");
    std::string windows;
    for (const char c : text) windows += c == '\n' ? "\r\n" : std::string(1, c);
    CHECK(file.read(windows) == "");
    std::vector<std::string> quoted;
    for (const std::string& row : file.rows_) quoted.push_back(joined(split(row), ",", "\""));
    CHECK(file.read(file.header_, quoted) == "");
    CHECK(file.read("\xef\xbb\xbf" + joined(split(file.header_), ",", "\""), quoted) == "");
    // Columns in another order.
    std::vector<std::string> turned;
    const auto turn = [](const std::string& line) {
      std::vector<std::string> fields = split(line);
      return joined({fields.rbegin(), fields.rend()});
    };
    for (const std::string& row : file.rows_) turned.push_back(turn(row));
    CHECK(file.read(turn(file.header_), turned) == "");
  }
}

TEST_CASE("CSV: the same mistake has the same message in every format") {
  const ScratchFolder folder;
  for (const Format& format : formats(folder)) {
    CAPTURE(format.name);
    const Mistakes file(folder, format);
    const std::string& header = file.header_;
    const std::vector<std::string>& rows = file.rows_;
    const std::vector<std::string> names = split(header);
    const std::string& last = names.back();
    const std::string fields = std::to_string(names.size());
    const std::string first_row = rows[0] + "\n";

    if (!format.is_recognised) {
      file.refuses("", {"f.csv:1: the file is empty, expected a header line with ", names[0]});
      file.refuses("\n\n", {"f.csv:1: the file is empty, expected a header line with ", names[0]});
      file.refuses("colour\n1\n", {"f.csv:1: ", "olumn", "expected ", names[0]});
      file.refuses(
          joined(names, ";") + "\n" + joined(split(rows[0]), ";") + "\n",
          {"f.csv:1: the fields are separated by semicolons, expected commas: ", names[0]});
      file.refuses(
          joined(names, ";", "\"") + "\n",
          {"f.csv:1: the fields are separated by semicolons, expected commas: ", names[0]});
      file.refuses(joined(names, "\t") + "\n", {"f.csv:1: the fields are separated by tabs"});
    }
    if (format.may_be_empty) {
      CHECK(file.read(header + "\n") == "");
    } else {
      file.refuses(header + "\n", {"f.csv:1: the file has a header line but no "});
      file.refuses(header, {"f.csv:1: the file has a header line but no "});
    }
    // Columns.
    file.refuses(header + "," + file.number_ + "\n" + rows[0] + ",1\n",
                 {"f.csv:1: the column '" + file.number_ + "' comes twice"});
    const std::string more = header + ",colour\n";
    if (format.has_other_columns) {
      CHECK(file.read(header + ",colour", [&] {
        std::vector<std::string> wider;
        for (const std::string& row : rows) wider.push_back(row + ",red");
        return wider;
      }()) == "");
    } else {
      file.refuses(more + rows[0] + ",red\n",
                   {"f.csv:1: unknown column 'colour', expected ", names[0], last});
    }
    // Without the column of numbers.
    std::vector<std::string> fewer = names;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(format.number));
    file.refuses(
        joined(fewer) + "\n" + first_row,
        {"f.csv:1: the column '" + file.number_ + "' is missing, expected ", file.number_});
    // Rows.
    const std::string n_fields = " fields, expected " + fields + " as in the header line";
    file.refuses(header + "\n" + rows[0] + ",1\n",
                 {"f.csv:2: " + std::to_string(names.size() + 1) + n_fields});
    const std::string short_row = rows[0].substr(0, rows[0].rfind(','));
    file.refuses(header + "\n" + short_row + "\n",
                 {"f.csv:2: " + std::to_string(names.size() - 1) + n_fields});
    file.refuses(header + "\n\n" + first_row, {"f.csv:2: 0" + n_fields});
    file.refuses(header + "\n\"" + rows[0] + "\n",
                 {"f.csv:2: a quotation mark is not closed on its line"});
    file.refuses(header + "\n\"x\"y" + rows[0] + "\n",
                 {"f.csv:2: a quoted field goes on after its quotation mark"});
    // Numbers.
    for (const char* value : {"", "much", "nan", "0x10", "1 2", "--1", "1e400"}) {
      file.refuses_number(value);
    }
    file.refuses_number(std::string(format.too_large));
    file.refuses_number("inf");
    file.refuses_number("-inf");
    // Bytes.
    file.refuses(header + "\n" + std::string("\0", 1) + first_row,
                 {"f.csv:2: byte 0x00 is not text, expected UTF-8"});
    file.refuses(header + "\n\xff" + first_row, {"f.csv:2: byte 0xff is not text"});
    file.refuses(header + "\r" + rows[0] + "\r",
                 {"f.csv:1: a CR stands alone, expected lines that end with LF or CR LF"});
  }
}

TEST_CASE("TableReader: quoted fields, comments and what a file states") {
  constexpr std::array<TableColumn, 2> kColumns{{{"name"}, {"size", false}}};
  const TableFormat format{.columns = kColumns};
  TableReader table("# made by hand\n\"name\", size\n\"a \"\"b\"\", c\",\" 4.0 \"\n", "t", format);
  REQUIRE(table.next());
  CHECK(table.fields()[0] == "a \"b\", c");
  CHECK(table.amount(1, 0) == 4);
  CHECK(table.line_number() == 3);
  CHECK(error_text<WorkloadError>([&] { (void)table.name(0); }) ==
        "t:3: name is 'a \"b\", c', expected a name without commas and quotation marks");
  CHECK_FALSE(table.next());

  constexpr std::array<std::string_view, 1> kKeys{"unit"};
  const TableFormat stating{.columns = kColumns, .statements = kKeys};
  const TableReader stated("#unit: 5 \nname\nx\n", "t", stating);
  CHECK(stated.statement("unit")->value == "5");
  CHECK_FALSE(stated.has(1));
  const auto fault = [&](std::string_view text) {
    return error_text<WorkloadError>([&] { const TableReader bad(text, "t", stating); });
  };
  CHECK(fault("# unit: 5\n# unit: 6\nname\n") == "t:2: unit is stated on line 1 too");
  CHECK(fault("# units: 5\nname\n") ==
        "t:1: found '# units: 5', expected the header line, or before it '# KEY: VALUE' with the "
        "keys unit");
  CHECK(fault("# unit: 5\n") ==
        "t:2: the file ends here, expected a header line with name, and rows");
}

TEST_CASE("parse_number: all of a text, finite; whole numbers with a decimal point where allowed") {
  CHECK(parse_number("1.5e-1") == 0.15);
  for (const char* bad : {"", " 1", "1 ", "+1", "nan", "inf", "0x1", "1e400", "1,5"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_number(bad).has_value());
    CHECK_FALSE(parse_whole(bad).has_value());
  }
  CHECK(parse_integer<int>("-7") == -7);
  CHECK_FALSE(parse_integer<int>("7.0").has_value());
  CHECK_FALSE(parse_integer<unsigned>("-7").has_value());
  CHECK_FALSE(parse_integer<std::int8_t>("200").has_value());
  CHECK(parse_whole("7.0") == 7);
  CHECK(parse_whole("4e3") == 4000);
  CHECK(parse_whole("9223372036854775807") == 9223372036854775807);
  CHECK_FALSE(parse_whole("7.5").has_value());
  CHECK_FALSE(parse_whole("1e17").has_value());
}

}  // namespace cospot
