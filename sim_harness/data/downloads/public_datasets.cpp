#include "sim_harness/data/downloads/public_datasets.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

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

/// R. Wolski and J. Brevik publish the traces at https://www.cs.ucsb.edu/~rich/workload/, the
/// address that Pucher et al. cite; this is a copy whose files are known.
PublicDataset eucalyptus() {
  PublicDataset dataset{
      .name = "eucalyptus",
      .summary = "six production traces of private clouds, for `study: sla`",
      // One commit, so that the files stay as they are; later copies name nodes otherwise.
      .address =
          "https://raw.githubusercontent.com/DanielFloripa/EAVIRA_CHAVE/"
          "e554d8f9bb17289a9e62e657843e8765c95c0435/input/ORIG_eucalyptus-traces/",
      .files = {},
      .terms =
          "There is no licence: use them, but do not pass them on. Cite R. Wolski and J. Brevik. "
          "Whose clouds these are is not disclosed; the authors ask to respect that.",
      .next_step =
          "Run the paper's evaluation on them:\n"
          "  examples/papers/lifetime_sla/run.sh --traces FOLDER"};
  constexpr std::array kDigests{"2d395555c4ea8f3fd025c30b80ffdfeace185e7a550bac5c348f780c379bf237",
                                "c728950f234bc3beab46238b306e0d49a8e20d9249637c92e3be314e6355e7d3",
                                "544b209235eb1baae45e71da6f0ebd18eb1593509196e894667784fa7f014173",
                                "2369e24e738b38669263ce60ed4b9ab1851650d653e882b323e4b8bdbd512fc8",
                                "37b486b3666208efe9e94b6e2f0d68072715bafb1b0b2af1689d63a844cac212",
                                "da0f804e56e96ebf4a41101ffef7597a5d67c6c19987ba09c843e3201b2c49a4"};
  for (std::size_t i = 0; i < kDigests.size(); ++i) {
    dataset.files.push_back({.remote = fmt::format("DS{}-trace.txt", i + 1),
                             .local = fmt::format("ds{}.txt", i + 1),
                             .sha256 = kDigests[i]});
  }
  return dataset;
}

PublicDataset spot_traces() {
  PublicDataset dataset{
      .name = "spot-traces",
      .summary = "30 recorded availabilities of AWS spots, for `study: deadline`",
      .address =
          "https://raw.githubusercontent.com/skypilot-org/spot-traces/"
          "221da1ab9bdfe7966da296265d7694d52dc0c5a6/",
      .files = {},
      .terms =
          "The repository has no licence file: use the traces, do not pass them on. Cite Wu et "
          "al., Can't Be Late, NSDI 2024.",
      .next_step = "Compare strategies on them: docs/deadline.md"};
  struct Family {
    std::string_view folder;
    std::vector<std::string_view> traces;
  };
  const std::array families{
      Family{"availability/1-node/aws-02-15-2023",
             {"us-east-1a_v100_1", "us-east-1c_v100_1", "us-east-1d_v100_1", "us-east-1f_v100_1",
              "us-east-2a_v100_1", "us-east-2b_v100_1", "us-west-2a_v100_1", "us-west-2b_v100_1",
              "us-west-2c_v100_1"}},
      Family{"availability/1-node/aws-10-26-2022",
             {"us-west-2a_k80_1", "us-west-2a_k80_8", "us-west-2a_v100_1", "us-west-2a_v100_8",
              "us-west-2b_k80_1", "us-west-2b_k80_8", "us-west-2b_v100_1", "us-west-2b_v100_8"}},
      Family{"availability/16-node/aws-08-27-2023",
             {"us-east-2b_v100_1", "us-west-2a_v100_1", "us-west-2c_v100_1"}},
      Family{"preemption/1-node/aws-04-19-2023",
             {"us-east-1b_intel_64", "us-east-1c_intel_64", "us-east-1d_intel_64"}},
      Family{"preemption/1-node/aws-04-22-2023",
             {"us-east-1c_v100_1", "us-east-1f_v100_1", "us-west-2b_v100_1", "us-west-2c_v100_1"}},
      Family{"preemption/4-node/aws-08-03-2023",
             {"us-east-1f_v100_1", "us-east-2a_v100_1", "us-west-2c_v100_1"}}};
  for (const Family& family : families) {
    for (const std::string_view trace : family.traces) {
      const std::string path = fmt::format("{}/{}.json", family.folder, trace);
      dataset.files.push_back({.remote = path, .local = path});
    }
  }
  return dataset;
}

}  // namespace

const std::vector<PublicDataset>& public_datasets() {
  static const std::vector<PublicDataset> datasets{azure_packing(), cospot_release(), eucalyptus(),
                                                   spot_traces()};
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
