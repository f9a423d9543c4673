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
      .files = {{.remote = "ilp/server_vm_cores_ram.json",
                 .local = "server_vm_cores_ram.json",
                 .sha256 = "27207656046e33f71475ebda3be89e5bbf199712883d6bb6bc7c92b9757949fd"},
                {.remote = "ilp/vmType.csv",
                 .local = "vmType.csv",
                 .sha256 = "ad59f1cfd218764217ee849e7d8869591384f275d69db51adabf7ef67c01d11c"}},
      .terms =
          "CC-BY: cite Iqbal et al., CoSpot, SoCC 2022, and Hadary et al., Protean, OSDI 2020.",
      .next_step = "Look at one:\n  cospot workload info bernoulli/relevant-vm-1pcnt_0.csv"};
  constexpr std::array kDigests{"b42411a06aad6fcfcbd6b40896b822b56d695b6390ad1fa823a5a8f7eeeb2723",
                                "dfee32c31da738212ca76284badd108a42b89ff2dcf1a574cd8d3c4b62aff44e",
                                "6caed53feb6c9469cdbf9e109a4c4e58c98df042d900e69666c04bc9218f82be",
                                "759dbe7ee453e6efaa156d459b0684367f3ea45df1903c0c302ab11689f26bef",
                                "af12ade2fe29859ec802b885e31935dd1e71bcf62f080d515756efcc93c1e4a0",
                                "02f1aead8284a96d1c04db20bd363d1d242f5538af9a5361ead2be41323fe5aa",
                                "0c57b5b360b050f6ecc001a7e2d4e493801c1c9222c9a7ff31d3e030256c958a",
                                "bfb7f84b5cfa96e0f87b86c1cfa29b1b64ce690d4ed776e6cf895335a601fc4c",
                                "9592e1164a5c535f5b8d0f4456a701e4e7ad3e35e965bda6a1eb6e3fa364920b",
                                "1cdf432783bd8826667a05060fc682fd5f47e376843eb87ca4d9fe92a2f1b316",
                                "45b6ac1c3bb84b919ca06cf51392505b7d7bda3fcfbc89fc84e81b41923332f1",
                                "22fa302f313a569015b98e0aecb651424a97df9ca86dc7c95f8828d6bc748798",
                                "ffecfb00aaf3d75e35146b09fc0a8963d7599b67b915cc00d2b94dfc1767fd9b",
                                "b241ecdedca8f1ed253e1d0aab7bc8a83d068286625e41e7ee0bc6765dd51f48",
                                "ffd6ed5d6155c21b7f4ce0bde0419b6d6984db1175387e5ecdd2efd7d18935a1",
                                "07894eaee18f2a582ed91bb5011e6fb95fc9dbb384ab237dc4bd07127487313e",
                                "64fcecbeebe9b5ea7229f1b7cb0f87e57d09ee807cec237661398a025e8ffe67",
                                "9624e2e83a856b2f08eab350b529047a0ca8c06e0dda4579f42e0a112211fdc3",
                                "90d1c6fa5fd5691ec31aabed891b9473f70c35cbe10f540391a2be2955292034",
                                "79f9d00da24764b9113aa5c067e06a954582538177c2610237a1859dca6affe3"};
  constexpr std::size_t kSamplesOfAKind = 10;
  for (std::size_t i = 0; i < kDigests.size(); ++i) {
    const std::string local =
        fmt::format("{}/relevant-vm-1pcnt_{}.csv", i < kSamplesOfAKind ? "bernoulli" : "batched",
                    i % kSamplesOfAKind);
    dataset.files.push_back(
        {.remote = "workloads/" + local, .local = local, .sha256 = kDigests[i]});
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
  struct Trace {
    std::string_view path, sha256;
  };
  constexpr std::array<Trace, 30> kTraces{
      {{"availability/1-node/aws-02-15-2023/us-east-1a_v100_1.json",
        "cf87a4e199af5178fab1f899b32ddebc717ed2bf5aa0ff7530af264cff0624a1"},
       {"availability/1-node/aws-02-15-2023/us-east-1c_v100_1.json",
        "4d272fad5eb7141a5a2053598ae3dace4bad61413f5efe2aa16ad59c25c8197b"},
       {"availability/1-node/aws-02-15-2023/us-east-1d_v100_1.json",
        "5f6a9f4df65cf1ce6b81656aefd419f915dc241ce2dc015ac7db81d7064eca89"},
       {"availability/1-node/aws-02-15-2023/us-east-1f_v100_1.json",
        "d520e66fc839d41cb1d5c81e147e8885d3f2926ddb9d485df55772217d87ebc6"},
       {"availability/1-node/aws-02-15-2023/us-east-2a_v100_1.json",
        "568de3507c66707eaa222fdcf26ab98ee8032959dc72bf3c5c456722be912562"},
       {"availability/1-node/aws-02-15-2023/us-east-2b_v100_1.json",
        "267c54353023ad0434937efc9bd0e39a8103b774a698b631c7ba2b1a985e6f28"},
       {"availability/1-node/aws-02-15-2023/us-west-2a_v100_1.json",
        "2f67ddba78f9bfe2df31e4c56bc480bbc98771bca6c3a33b2b9e5a105909c53a"},
       {"availability/1-node/aws-02-15-2023/us-west-2b_v100_1.json",
        "93c132b5f9c70572d22a6a546c58ce78657e3d6bd56994c7052756e930af42c9"},
       {"availability/1-node/aws-02-15-2023/us-west-2c_v100_1.json",
        "c2f11da8c6083ad16d3812046897d6e3a8286df18e36cc386f24c5a748471d89"},
       {"availability/1-node/aws-10-26-2022/us-west-2a_k80_1.json",
        "56ece817845572653c37691eefe3814ad99cf1f277c772a0a6fc615b16cfa594"},
       {"availability/1-node/aws-10-26-2022/us-west-2a_k80_8.json",
        "ecb5f2986bff1f5e80b2ea44d23aca29cfd03ca47c7bc2e309b525ca42f8b571"},
       {"availability/1-node/aws-10-26-2022/us-west-2a_v100_1.json",
        "51100f536cec660cd324125f02cdb45a4bdda3ccfdad790a1842b9c94bd365e2"},
       {"availability/1-node/aws-10-26-2022/us-west-2a_v100_8.json",
        "41971ffc4be92abc945b42e10edd8489f7ecbb59806e69c329b703b9b8d3b831"},
       {"availability/1-node/aws-10-26-2022/us-west-2b_k80_1.json",
        "9697653ce4f26491498a27f4cd4841085af9de89578983be6a9fe728ec489245"},
       {"availability/1-node/aws-10-26-2022/us-west-2b_k80_8.json",
        "ab59caed709b533ea9c03a853cf238cdbc475af3723bc4513e289f38d9ac3f5c"},
       {"availability/1-node/aws-10-26-2022/us-west-2b_v100_1.json",
        "37690146ecbd330903e0aa791b748d40574a4766af0647cbd6b8841d33c42ce3"},
       {"availability/1-node/aws-10-26-2022/us-west-2b_v100_8.json",
        "bbbd8b70b6b6075cec63804bffd1e105b46d7fd8466d6d3d06217d51fd39323f"},
       {"availability/16-node/aws-08-27-2023/us-east-2b_v100_1.json",
        "fa1f117fd25696aa36250d73f4a47954a281c04243cadbe47074b9ae4a70659f"},
       {"availability/16-node/aws-08-27-2023/us-west-2a_v100_1.json",
        "0aae822d720585aa435b6a04248d2bd21ec1cdaab112e6cbfb23b12f5f664078"},
       {"availability/16-node/aws-08-27-2023/us-west-2c_v100_1.json",
        "0a540de491d1e1764c1e913ecef04e0475717acb328cf1a8d601948cac138c83"},
       {"preemption/1-node/aws-04-19-2023/us-east-1b_intel_64.json",
        "8acc11e8d5cbb14a8ce72d7850d75055c40236196f29fca987d73a0f3a8892c7"},
       {"preemption/1-node/aws-04-19-2023/us-east-1c_intel_64.json",
        "9b870aad26d2fa556977da0ee521259b703a7b968413d7ca9b40395722062caf"},
       {"preemption/1-node/aws-04-19-2023/us-east-1d_intel_64.json",
        "42abfe4b0eaaac4774a440fbabe4bdf6afeda4eaffc752619867e84464959b6f"},
       {"preemption/1-node/aws-04-22-2023/us-east-1c_v100_1.json",
        "8405520cdc1f8327997709972c7fb7df63e28d320416223a65f94bc7115bb8c9"},
       {"preemption/1-node/aws-04-22-2023/us-east-1f_v100_1.json",
        "05dd39a548ed2714d23c19188b5385051547cd3650d3327c2bee90be92893dbc"},
       {"preemption/1-node/aws-04-22-2023/us-west-2b_v100_1.json",
        "6e9b7f7fec8be121ce94cc0e0e9d9a14dd57a5dcf6911388f49641f47a2bb064"},
       {"preemption/1-node/aws-04-22-2023/us-west-2c_v100_1.json",
        "68ddceb31103227f62ec2ef3e8459e47810eb42b573a7b8e6d501885e073cd63"},
       {"preemption/4-node/aws-08-03-2023/us-east-1f_v100_1.json",
        "bfd67f8b3bfb267f3145e22ff1c52a036e0151ad2c3826f08d7668c54fd60dbe"},
       {"preemption/4-node/aws-08-03-2023/us-east-2a_v100_1.json",
        "ce9eb00a1c6f49a77c5258e12363a5acc10a2180a793e99c10457fe47d0d7f47"},
       {"preemption/4-node/aws-08-03-2023/us-west-2c_v100_1.json",
        "19548cb2e5ec120fb5e12a11203e0a22ee9d9387993cfbe909d8fea4e04fa400"}}};
  for (const Trace& trace : kTraces) {
    dataset.files.push_back({.remote = std::string(trace.path),
                             .local = std::string(trace.path),
                             .sha256 = std::string(trace.sha256)});
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
