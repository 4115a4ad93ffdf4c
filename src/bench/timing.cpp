// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace hornbeam::bench {
namespace {

double seconds(long launches, const std::function<void()>& launch,
               const std::function<void()>& wait) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  for (long i = 0; i < launches; ++i) launch();
  wait();
  return std::chrono::duration<double>(clock::now() - start).count();
}

}  // namespace

timing time_launches(const timing_plan& plan, const std::function<void()>& launch,
                     const std::function<void()>& wait) {
  constexpr double most_launches = 1e6;
  timing result;
  double estimate = seconds(1, launch, wait);
  if (estimate > plan.slow_s) {
    result.times_s = {estimate};
    result.launches = 1;
    result.single_launch = true;
    return result;
  }
  for (int sample = 0; sample < plan.samples; ++sample) {
    const double wanted = std::ceil(plan.min_batch_s / std::max(estimate, 1e-9));
    const auto launches = static_cast<long>(std::clamp(wanted, 1.0, most_launches));
    estimate = seconds(launches, launch, wait) / static_cast<double>(launches);
    result.times_s.push_back(estimate);
    result.launches += static_cast<double>(launches);
  }
  return result;
}

}  // namespace hornbeam::bench
