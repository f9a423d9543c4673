#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cospot {

/// A file of a dataset: its path below the dataset's address and below the target folder.
struct PublicFile {
  std::string remote;
  std::string local;
  std::string sha256{};  ///< of the file at the dataset's own address; empty: unknown
};

/// A published workload, and its terms of use.
struct PublicDataset {
  std::string_view name;
  std::string_view summary;
  std::string_view address;  ///< URL of the folder with the files, with a trailing slash
  std::vector<PublicFile> files;
  std::string_view terms;
  std::string_view next_step;  ///< what to do with the files
};

/// The datasets that `cospot workload fetch` knows.
[[nodiscard]] const std::vector<PublicDataset>& public_datasets();

/// Errors: ConfigError that lists the valid names.
[[nodiscard]] const PublicDataset& find_public_dataset(std::string_view name);

}  // namespace cospot
