#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/tables/line_reader.hpp"
#include "sim_harness/base/text/terminal_meter.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

std::vector<std::string> read_lines(const std::filesystem::path& file) {
  LineReader reader(file);
  std::vector<std::string> lines;
  std::string_view line;
  while (reader.next(line)) lines.emplace_back(line);
  CHECK(reader.line_number() == lines.size());
  return lines;
}

TEST_CASE("LineReader: lines of either end, with and without the last") {
  const ScratchFolder folder;
  using Lines = std::vector<std::string>;
  CHECK(read_lines(folder.write("a", "")).empty());
  CHECK(read_lines(folder.write("a", "x")) == Lines{"x"});
  CHECK(read_lines(folder.write("a", "x\n")) == Lines{"x"});
  CHECK(read_lines(folder.write("a", "x\r\n\ny")) == Lines{"x", "", "y"});
  CHECK(read_lines(folder.write("a", "\xef\xbb\xbfx\ny")) == Lines{"x", "y"});
  CHECK(read_lines(folder.write("a", "\xef\xbb\xbf")).empty());
}

TEST_CASE("LineReader: files that are neither text nor gzip are named") {
  const ScratchFolder folder;
  const auto error_of = [&](const std::string& bytes) {
    const std::filesystem::path file = folder.write("a", bytes);
    return error_text<WorkloadError>([&] { (void)read_lines(file); });
  };
  CHECK(error_of("\x28\xb5\x2f\xfd....")
            .ends_with("a: the file is compressed by zstd, expected plain text or gzip: zstd -dc "
                       "FILE | gzip"));
  CHECK(
      error_of("PK\x03\x04....")
          .ends_with(
              "a: the file is a zip archive or an Excel workbook, expected text: save it as CSV"));
  using std::string_literals::operator""s;
  for (const std::string& utf16 : {"\xff\xfex\0"s, "\xfe\xff\0x"s, "x\0y\0"s, "\0x\0y"s}) {
    CHECK(contains(error_of(utf16), "the file is UTF-16, expected UTF-8: iconv"));
  }
  CHECK(contains(error_of("\xff\xfe\0\0x\0\0\0"s), "the file is UTF-32, expected UTF-8: iconv"));
  CHECK(error_text<WorkloadError>([] { (void)read_lines("-"); }) ==
        "-: cannot be read: standard input is no file, expected a file");
}

TEST_CASE("LineReader: a file of many buffers, plain and packed") {
  const ScratchFolder folder;
  std::vector<std::string> expected;
  std::string text;
  // About 3 MB in lines of 0 to 999 bytes, so that buffers of 256 KiB end anywhere in them.
  for (std::size_t i = 0; i < 6000; ++i) {
    expected.emplace_back((i * 7919) % 1000, static_cast<char>('a' + i % 26));
    text += expected.back() + '\n';
  }
  CHECK(read_lines(folder.write("a", text)) == expected);
  CHECK(read_lines(folder.write("a.gz", pack_gzip(text))) == expected);
}

TEST_CASE("LineReader: faults name the line") {
  const ScratchFolder folder;
  const auto error = [&](const std::string& bytes) {
    return error_text<WorkloadError>([&] { (void)read_lines(folder.write("a", bytes)); });
  };
  CHECK(contains(error("x\n" + std::string(70'000, 'y') + "\nz\n"),
                 "a:2: the line is longer than 65536 bytes, expected a CSV row"));
  CHECK(contains(error(std::string(600'000, 'y')), "a:1: the line is longer than"));
  CHECK(contains(error("x\nb\x01\n"), "a:2: byte 0x01 is not text"));
  const std::string packed = pack_gzip(std::string(1000, 'x') + "\nabc\n");
  CHECK(contains(error(packed.substr(0, packed.size() - 9)), "the gzip data is truncated"));
  std::string corrupt = packed;
  corrupt[packed.size() / 2] = static_cast<char>(corrupt[packed.size() / 2] ^ 0x55);
  CHECK(contains(error(corrupt), "the gzip data is corrupt"));
  CHECK(contains(error_text<WorkloadError>([&] { LineReader(folder / "none"); }),
                 "none: cannot be read: No such file"));
  CHECK(contains(error_text<WorkloadError>([&] { LineReader{folder.path()}; }),
                 "it is a directory, expected a file"));
}

TEST_CASE("gzip: what unpacks to more than any table does is refused before it is all there") {
  const ScratchFolder folder;
  // 100 MB: of nothing that is text, of one line, and of lines that are all the same.
  const std::size_t bytes = 100'000'000;
  std::string lines;
  while (lines.size() < bytes) lines += "1,2,3\n";
  const auto errors = [&](const std::string& text) {
    const std::string packed = pack_gzip(text);
    const auto file = folder.write("a.gz", packed);
    return std::pair(error_text<WorkloadError>([&] { (void)unpacked_text(packed, "a.gz"); }),
                     error_text<WorkloadError>([&] { (void)read_lines(file); }));
  };
  const auto [of_zeros, of_zeros_by_line] = errors("a\n" + std::string(bytes, '\0'));
  CHECK(of_zeros == "a.gz:2: byte 0x00 is not text, expected UTF-8, plain or gzip");
  CHECK(contains(of_zeros_by_line, "a.gz:2: the line is longer than 65536 bytes"));
  const auto [of_line, of_line_by_line] = errors(std::string(bytes, 'a'));
  CHECK(of_line == "a.gz:1: the line is longer than 65536 bytes, expected a CSV row");
  CHECK(contains(of_line_by_line, "a.gz:1: the line is longer than 65536 bytes"));
  const auto [of_lines, of_lines_by_line] = errors(lines);
  CHECK(contains(of_lines, "the gzip data unpacks to more than 200 times its size"));
  CHECK(contains(of_lines_by_line, "the gzip data unpacks to more than 200 times its size"));
  // A tenth of it is harmless however well it packs.
  const std::string few = lines.substr(0, bytes / 10);
  CHECK(unpacked_text(pack_gzip(few), "a.gz") == few);
}

TEST_CASE("meter_text: rows and megabytes") {
  CHECK(meter_text(MeterUnit::kRows, 1'200'000, 5'000'000) == "1200000 of 5000000 rows (24 %)");
  CHECK(meter_text(MeterUnit::kRows, 7, 0) == "7 rows");
  CHECK(meter_text(MeterUnit::kBytes, 12'300'000, 51'000'000) == "12.3 of 51.0 MB (24 %)");
}

}  // namespace
}  // namespace cospot
