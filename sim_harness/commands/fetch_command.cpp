#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "core/lower_case.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/data/downloads/fetch_file.hpp"
#include "sim_harness/data/downloads/public_datasets.hpp"

namespace cospot {
namespace {

/// The parsed options. The callback owns them, for as long as the app lives.
struct FetchOptions {
  std::vector<std::string> sources;  // the name of a dataset, or addresses
  std::string folder = ".";
  std::string url;
  std::string sha256;
};

/// A file to fetch, and where it goes to.
struct Source {
  std::string url;
  std::string local;
  std::string sha256{};  // what it has to be; empty: what an earlier fetch recorded
};

bool is_address(std::string_view source) {
  return source.starts_with("http://") || source.starts_with("https://");
}

std::string parse_digest(const FetchOptions& options) {
  const std::string digest = in_lower_case(options.sha256);
  if (digest.empty()) return digest;
  if (digest.size() != 64 || digest.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw ConfigError(fmt::format("--sha256: found {}, expected 64 hexadecimal digits",
                                  quoted_excerpt(options.sha256)));
  }
  return digest;
}

/// The address of a file. --url stands for the file of a dataset that has only one, for the folder
/// of the files otherwise.
std::string url_of(const FetchOptions& options, const PublicDataset& dataset,
                   const PublicFile& file) {
  if (options.url.empty()) return std::string(dataset.address) + file.remote;
  if (dataset.files.size() == 1) return options.url;
  return options.url + (options.url.ends_with('/') ? "" : "/") + file.remote;
}

std::string_view outcome_text(FetchOutcome outcome) {
  switch (outcome) {
    case FetchOutcome::kDownloaded:
      return "downloaded";
    case FetchOutcome::kContinued:
      return "downloaded, continuing an earlier download";
    case FetchOutcome::kWasComplete:
      break;
  }
  return "was there, as recorded";
}

void fetch_files(const FetchOptions& options, const std::vector<Source>& files) {
  const std::string given = parse_digest(options);
  for (const Source& file : files) {
    const std::string& digest = given.empty() ? file.sha256 : given;
    const std::filesystem::path path =
        (std::filesystem::path(options.folder) / file.local).lexically_normal();
    const FetchResult result = fetch_file({.url = file.url, .file = path, .sha256 = digest});
    print(fmt::format("{}: {} bytes, {}\n  SHA-256 {}\n", path.string(), result.bytes,
                      outcome_text(result.outcome), result.sha256));
  }
}

void fetch_dataset(const FetchOptions& options) {
  const PublicDataset& dataset = find_public_dataset(options.sources.front());
  if (!options.sha256.empty() && dataset.files.size() > 1) {
    throw ConfigError(fmt::format("--sha256: {} has {} files, expected a dataset of one",
                                  dataset.name, dataset.files.size()));
  }
  std::vector<Source> files;
  for (const PublicFile& file : dataset.files) {
    files.push_back({.url = url_of(options, dataset, file),
                     .local = file.local,
                     .sha256 = options.url.empty() ? file.sha256 : ""});
  }
  fetch_files(options, files);
  print(fmt::format("{}\n{}\n", dataset.terms, dataset.next_step));
}

/// The last part of an address, without what follows a `?` or `#`.
std::string file_name_of(const std::string& address) {
  const std::string path = address.substr(0, address.find_first_of("?#"));
  const std::size_t host = path.find("//") + 2;
  const std::size_t slash = path.rfind('/');
  const std::string name = slash < host ? "" : path.substr(slash + 1);
  if (!name.empty() && name != "." && name != "..") return name;
  throw ConfigError(
      fmt::format("{} names no file, expected an address that ends with a file's name",
                  quoted_excerpt(address)));
}

void fetch_addresses(const FetchOptions& options) {
  if (!options.url.empty()) {
    throw ConfigError("--url: expected it with the name of a dataset, not with an address");
  }
  if (!options.sha256.empty() && options.sources.size() > 1) {
    throw ConfigError(
        fmt::format("--sha256: found {} addresses, expected one", options.sources.size()));
  }
  std::vector<Source> files;
  for (const std::string& address : options.sources) {
    if (!is_address(address)) {
      throw ConfigError(
          fmt::format("found {}, expected addresses (http://, https://), or a single "
                      "dataset",
                      quoted_excerpt(address)));
    }
    const std::string name = file_name_of(address);
    const auto is_it = [&](const Source& other) { return other.local == name; };
    if (std::ranges::any_of(files, is_it)) {
      throw ConfigError(fmt::format("two addresses end with {}, expected different file names",
                                    quoted_excerpt(name)));
    }
    files.push_back({.url = address, .local = name});
  }
  fetch_files(options, files);
  print(fmt::format("What is at an address has terms of its own: read them.\n"));
}

void fetch(const FetchOptions& options) {
  if (options.sources.size() == 1 && !is_address(options.sources.front())) {
    return fetch_dataset(options);
  }
  fetch_addresses(options);
}

std::string dataset_help() {
  std::string text;
  for (const PublicDataset& dataset : public_datasets()) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", dataset.name, dataset.summary);
  }
  return text;
}

}  // namespace

void add_fetch_command(CLI::App& workload) {
  CLI::App* command = workload.add_subcommand(
      "fetch", "Download a published workload, or files from any address, and verify them");
  const auto options = std::make_shared<FetchOptions>();
  command
      ->add_option("SOURCE", options->sources,
                   dataset_help() + "; or addresses of files (http://, https://)")
      ->required();
  command->add_option("--to", options->folder, "Folder to write to; created if missing")
      ->capture_default_str();
  command->add_option(
      "--url", options->url,
      "Address of the file (azure-packing) or of the folder (others) to use instead");
  command->add_option(
      "--sha256", options->sha256,
      "Expected SHA-256 of the file (default: the one that an earlier fetch recorded)");
  command->callback([options] { fetch(*options); });
}

}  // namespace cospot
