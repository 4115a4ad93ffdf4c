// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Times a launch, whatever it launches.
#pragma once

#include <functional>
#include <vector>

namespace hornbeam::bench {

/// How to time.
struct timing_plan {
  double min_batch_s;  ///< shortest batch: long against the clock's resolution and the cost of a
                       ///< launch
  int samples;         ///< batches
  double slow_s;       ///< a launch slower than this is far from the best anyway, and not repeated
};

/// Seconds of one launch.
struct timing {
  std::vector<double> times_s;  ///< a mean per batch, or one launch alone if that was slow
  double launches = 0;          ///< all that were timed
  bool single_launch = false;   ///< it was slow
};

/// One launch to warm up, then batches of launches with a wait at the end of each.
timing time_launches(const timing_plan& plan, const std::function<void()>& launch,
                     const std::function<void()>& wait);

}  // namespace hornbeam::bench
