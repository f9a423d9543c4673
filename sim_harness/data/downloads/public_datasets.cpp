#include "sim_harness/data/downloads/public_datasets.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {
namespace {

PublicDataset azure_packing() {
  return {.name = "azure-packing",
          .summary = "the Azure trace for packing 2020: all requests of a zone",
          .address =
              "https://github.com/Azure/AzurePublicDataset/releases/download/dataset-packing-2020/",
          .files = {{.remote = "azurevmallocation_dataset2020_AzurePackingTraceV1.zip",
                     .local = "AzurePackingTraceV1.zip"}},
          .terms = "CC-BY: cite Hadary et al., Protean, OSDI 2020.",
          .next_step =
              "Unpack it (python3 -m zipfile -e AzurePackingTraceV1.zip .), then:\n"
              "  cospot workload reconstruct packing_trace_zone_a_v1.sqlite -o zone.csv.gz"};
}

PublicDataset cospot_release() {
  PublicDataset dataset{
      .name = "cospot",
      .summary = "the 20 samples of the CoSpot release, and its recovered sizes",
      // One commit, so that the files do not change.
      .address =
          "https://raw.githubusercontent.com/DCResourceManage/cospot-socc2022/"
          "3f61ad1a57ae294bf96610677bb44346fb47b158/",
      .files = {{.remote = "ilp/server_vm_cores_ram.json", .local = "server_vm_cores_ram.json"},
                {.remote = "ilp/vmType.csv", .local = "vmType.csv"}},
      .terms =
          "CC-BY: cite Iqbal et al., CoSpot, SoCC 2022, and Hadary et al., Protean, OSDI 2020.",
      .next_step = "Look at one:\n  cospot workload info bernoulli/relevant-vm-1pcnt_0.csv"};
  constexpr int kSamplesOfAKind = 10;
  for (const char* kind : {"bernoulli", "batched"}) {
    for (int i = 0; i < kSamplesOfAKind; ++i) {
      const std::string local = fmt::format("{}/relevant-vm-1pcnt_{}.csv", kind, i);
      dataset.files.push_back({.remote = "workloads/" + local, .local = local});
    }
  }
  return dataset;
}

PublicDataset eucalyptus() {
  PublicDataset dataset{
      .name = "eucalyptus",
      .summary = "six production traces of private clouds, for `study: sla`",
      // The folder is the one that Pucher et al. cite. The files' names are those that another
      // simulator of these traces uses; no download was tried when this was written.
      .address = "https://www.cs.ucsb.edu/~rich/workload/",
      .files = {},
      .terms =
          "Cite R. Wolski and J. Brevik. Whose clouds these are is not disclosed; the authors "
          "ask to respect that.",
      .next_step =
          "Run the paper's evaluation on them:\n"
          "  examples/papers/lifetime_sla/run.sh --traces FOLDER"};
  constexpr int kTraces = 6;
  for (int i = 1; i <= kTraces; ++i) {
    dataset.files.push_back(
        {.remote = fmt::format("DS{}-trace.txt", i), .local = fmt::format("ds{}.txt", i)});
  }
  return dataset;
}

}  // namespace

const std::vector<PublicDataset>& public_datasets() {
  static const std::vector<PublicDataset> datasets{azure_packing(), cospot_release(), eucalyptus()};
  return datasets;
}

const PublicDataset& find_public_dataset(std::string_view name) {
  std::string valid;
  for (const PublicDataset& dataset : public_datasets()) {
    if (dataset.name == name) return dataset;
    valid += fmt::format("{}{}", valid.empty() ? "" : ", ", dataset.name);
  }
  throw ConfigError(fmt::format("unknown dataset {}, expected {}", quoted_excerpt(name), valid));
}

}  // namespace cospot
