// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace hornbeam::bench {
namespace {

/// Launches and waits.
class stopwatch {
 public:
  stopwatch(const std::function<void()>& launch, const std::function<void()>& wait)
      : launch_(launch), wait_(wait) {}

  /// Seconds that some launches and one wait take together.
  double seconds(long launches) const {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    for (long i = 0; i < launches; ++i) launch_();
    wait_();
    return std::chrono::duration<double>(clock::now() - start).count();
  }

 private:
  const std::function<void()>& launch_;
  const std::function<void()>& wait_;
};

/// The number of launches that takes at least min_batch_s, given the seconds of one.
long batch_size(double min_batch_s, double launch_s) {
  constexpr double most_launches = 1e6;
  return static_cast<long>(
      std::clamp(std::ceil(min_batch_s / std::max(launch_s, 1e-9)), 1.0, most_launches));
}

/// The warm-up; taken again where it is slow but not hopeless, as a disturbance can make it.
double warm_up(const timing_plan& plan, const stopwatch& watch) {
  constexpr double hopeless = 3;
  const double first = watch.seconds(1);
  if (first <= plan.slow_s || first > hopeless * plan.slow_s) return first;
  return std::min(first, watch.seconds(1));
}

}  // namespace

timing time_launches(const timing_plan& plan, const std::function<void()>& launch,
                     const std::function<void()>& wait) {
  const stopwatch watch(launch, wait);
  timing result;
  double launch_s = warm_up(plan, watch);
  if (launch_s > plan.slow_s) {
    result.times_s = {launch_s};
    result.launches = 1;
    result.single_launch = true;
    return result;
  }
  while (static_cast<int>(result.times_s.size()) < plan.samples) {
    const long launches = batch_size(plan.min_batch_s, launch_s);
    const double batch_s = watch.seconds(launches);
    launch_s = batch_s / static_cast<double>(launches);
    // The warm-up's caches were cold: a batch sized by it can be too short to count.
    if (batch_s < plan.min_batch_s / 2 && result.times_s.empty()) continue;
    result.times_s.push_back(launch_s);
    result.launches += static_cast<double>(launches);
  }
  return result;
}

}  // namespace hornbeam::bench
