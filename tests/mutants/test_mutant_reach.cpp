// Notes which mutants each test case reaches, and how long it takes, in the file that
// COSPOT_MUTANTS_REACHED names.

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>

#include "tests/mutants/mutant.hpp"

namespace cospot {
namespace {

class ReachListener final : public doctest::IReporter {
 public:
  explicit ReachListener(const doctest::ContextOptions& /*options*/) {}

  void test_case_start(const doctest::TestCaseData& found) override {
    name_ = found.m_name;
    for (auto& one : cospot_mutant::reached) one = false;
  }
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    const char* file = std::getenv("COSPOT_MUTANTS_REACHED");
    if (file == nullptr) return;
    std::ofstream out(file, std::ios::app);
    out << stats.seconds << '\t' << (stats.testCaseSuccess ? 1 : 0) << '\t' << name_ << '\t';
    write(out, cospot_mutant::reached);
    write(out << '\t', cospot_mutant::impossible);
    out << '\n';
  }

  void report_query(const doctest::QueryData& /*in*/) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& /*in*/) override {}
  void test_case_reenter(const doctest::TestCaseData& /*in*/) override {}
  void test_case_exception(const doctest::TestCaseException& /*in*/) override {}
  void subcase_start(const doctest::SubcaseSignature& /*in*/) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& /*in*/) override {}
  void log_message(const doctest::MessageData& /*in*/) override {}
  void test_case_skipped(const doctest::TestCaseData& /*in*/) override {}

 private:
  using Marks = std::array<std::atomic<bool>, cospot_mutant::kMost>;
  static void write(std::ostream& out, const Marks& marks) {
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (marks[i]) out << i << ' ';
    }
  }

  const char* name_ = "";
};

REGISTER_LISTENER("reach", 1, ReachListener);

}  // namespace
}  // namespace cospot
