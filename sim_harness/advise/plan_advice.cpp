#include "sim_harness/advise/plan_advice.hpp"

#include <algorithm>
#include <tuple>

namespace cospot {
namespace {

/// In the judged parts, and from now on: what is to be deployed has to keep it in the others too.
bool keeps_limit(const PlanFindings& findings, Alternative one) {
  const JudgedAlternative& judged = findings.of(one);
  return std::max(judged.most_vm_loss, judged.last_vm_loss) <= findings.max_vm_loss;
}

/// The best of the single alternatives except one: those that keep the limit come first, then the
/// higher income.
Alternative best_single_but(const PlanFindings& findings, std::optional<Alternative> left_out) {
  std::vector<Alternative> singles{Alternative::kSellNothing, Alternative::kToday,
                                   Alternative::kWithoutCooperation, Alternative::kCooperation};
  if (left_out) std::erase(singles, *left_out);
  return *std::ranges::min_element(singles, {}, [&](Alternative one) {
    return std::tuple(!keeps_limit(findings, one), -findings.of(one).mean_net.mean);
  });
}

MeanInterval gain_of(const PlanFindings& findings, Alternative of, Alternative over) {
  return gain_over(findings.of(of).net, findings.of(over).net);
}

}  // namespace

MeanInterval gain_over(std::vector<double> net, std::span<const double> other) {
  for (std::size_t i = 0; i < net.size(); ++i) net[i] -= other[i];
  return mean_interval(net);
}

void advise(PlanFindings& findings) {
  findings.best_single = best_single_but(findings, std::nullopt);
  findings.gain = gain_of(findings, Alternative::kPlan, findings.best_single);
  const bool economy_holds = verdict_of(findings.of(Alternative::kPlan).economy, kEconomyBroken) !=
                             PromiseVerdict::kBroken;
  findings.advice = PlanAdvice::kSingle;
  findings.advised = findings.best_single;
  if (keeps_limit(findings, Alternative::kPlan) && economy_holds && is_above_zero(findings.gain)) {
    findings.advice = PlanAdvice::kPlan;
    findings.advised = Alternative::kPlan;
  } else if (!keeps_limit(findings, findings.best_single)) {
    findings.advice = PlanAdvice::kNothingHolds;
    findings.advised = Alternative::kSellNothing;
  }
  findings.next_best = best_single_but(findings, findings.advised);
  findings.lead = gain_of(findings, findings.advised, findings.next_best);
}

}  // namespace cospot
