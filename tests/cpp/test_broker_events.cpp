#include <doctest/doctest.h>

#include <functional>
#include <queue>
#include <vector>

#include "core/random.hpp"
#include "sim_harness/customer/broker/event_queue.hpp"
#include "sim_harness/studies/broker/broker_settings.hpp"

using namespace cospot;

TEST_CASE("BrokerEventQueue: the order of a heap of all events, with pushes in between") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const Seconds start = 1'000'000;
    BrokerEventQueue queue(start);
    std::priority_queue<BrokerEvent, std::vector<BrokerEvent>, std::greater<>> expected;
    Seconds now = start;
    for (int i = 0; i < 3000; ++i) {
      if (expected.empty() || random.below(100) < 52) {
        // Some now, most within hours, a few weeks later.
        const std::uint64_t reach = random.below(10) == 0 ? 3'000'000 : 1 + random.below(8'000);
        const BrokerEvent event{.time = now + static_cast<Seconds>(random.below(reach)),
                                .kind = static_cast<BrokerEvent::Kind>(random.below(5)),
                                .id = static_cast<std::int32_t>(random.below(50)),
                                .version = static_cast<std::uint32_t>(random.below(3))};
        queue.push(event);
        expected.push(event);
        continue;
      }
      REQUIRE_FALSE(queue.empty());
      REQUIRE(queue.top() == expected.top());
      now = queue.top().time;
      queue.pop();
      expected.pop();
    }
    for (; !expected.empty(); queue.pop(), expected.pop()) REQUIRE(queue.top() == expected.top());
    CHECK(queue.empty());
  }
}

TEST_CASE("DrawnJobs: drawn once for each log and seed, and kept no more than fits") {
  DrawnJobs drawn;
  int draws = 0;
  const auto of_size = [&draws](std::size_t size) {
    return [&draws, size] {
      ++draws;
      return std::vector<BrokerJob>(size);
    };
  };
  const DrawnJobs::Shared first = drawn.of(0, 7, of_size(3));
  CHECK(drawn.of(0, 7, of_size(3)) == first);
  CHECK(draws == 1);
  CHECK(drawn.of(1, 7, of_size(4))->size() == 4);
  CHECK(drawn.of(0, 8, of_size(5))->size() == 5);
  CHECK(draws == 3);
  // 4,000,000 jobs are kept at most: this value is drawn again whenever it is asked for.
  CHECK(drawn.of(2, 1, of_size(4'000'001))->size() == 4'000'001);
  CHECK(drawn.of(2, 1, of_size(4'000'001))->size() == 4'000'001);
  CHECK(draws == 5);
}
