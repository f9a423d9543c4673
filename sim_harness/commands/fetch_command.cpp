#include "sim_harness/commands/fetch_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "sim_harness/downloads/fetch_file.hpp"
#include "sim_harness/downloads/public_datasets.hpp"
#include "sim_harness/files/plain_text.hpp"

namespace cospot {
namespace {

/// What the options are parsed into. The callback owns it, for as long as the app lives.
struct FetchOptions {
  std::string dataset;
  std::string folder = ".";
  std::string url;
  std::string sha256;
};

std::string parse_digest(const FetchOptions& options, const PublicDataset& dataset) {
  std::string digest = options.sha256;
  for (char& c : digest) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c + 32);
  }
  if (digest.empty()) return digest;
  if (digest.size() != 64 || digest.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw ConfigError(fmt::format("--sha256: found {}, expected 64 hexadecimal digits",
                                  quoted_excerpt(options.sha256)));
  }
  if (dataset.files.size() > 1) {
    throw ConfigError(fmt::format("--sha256: {} has {} files, expected a dataset of one",
                                  dataset.name, dataset.files.size()));
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

void fetch(const FetchOptions& options) {
  const PublicDataset& dataset = find_public_dataset(options.dataset);
  const std::string digest = parse_digest(options, dataset);
  for (const PublicFile& file : dataset.files) {
    const std::filesystem::path path =
        (std::filesystem::path(options.folder) / file.local).lexically_normal();
    const FetchResult result =
        fetch_file({.url = url_of(options, dataset, file), .file = path, .sha256 = digest});
    fmt::print("{}: {} bytes, {}\n  SHA-256 {}\n", path.string(), result.bytes,
               outcome_text(result.outcome), result.sha256);
  }
  fmt::print("{}\n{}\n", dataset.terms, dataset.next_step);
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
      "fetch", "Download a published workload, or what is missing of it, and check it");
  const auto options = std::make_shared<FetchOptions>();
  command->add_option("DATASET", options->dataset, dataset_help())->required();
  command->add_option("--to", options->folder, "Folder to write to; made when it is missing")
      ->capture_default_str();
  command->add_option(
      "--url", options->url,
      "Address of the file (azure-packing) or of the folder (cospot) to use instead");
  command->add_option(
      "--sha256", options->sha256,
      "What the file's SHA-256 has to be; without it, what an earlier fetch recorded");
  command->callback([options] { fetch(*options); });
}

}  // namespace cospot
