#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cospot {

/// A file of a dataset: where it is below the dataset's address, and below the folder it goes to.
struct PublicFile {
  std::string remote;
  std::string local;
  std::string sha256{};  ///< of the file at the dataset's own address; empty: not known
};

/// A workload that its authors have published, and how it may be used.
struct PublicDataset {
  std::string_view name;
  std::string_view summary;
  std::string_view address;  ///< of the folder with the files, with a slash at the end
  std::vector<PublicFile> files;
  std::string_view terms;
  std::string_view next_step;  ///< what to do with it
};

/// The datasets that `cospot workload fetch` knows.
[[nodiscard]] const std::vector<PublicDataset>& public_datasets();

/// Errors: ConfigError names the valid ones.
[[nodiscard]] const PublicDataset& find_public_dataset(std::string_view name);

}  // namespace cospot
