// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a kernel that cuts k into slices is given beside the operands. Plain data, used by host and
/// device.
#pragma once

#include <cstdint>

namespace hornbeam::kernel {

/// How k is cut, and which step of the work a launch does.
///
/// With one slice there is one step: the kernel writes C. With more there are two, launches of the
/// same kernel: the first, over batch * count entries, writes the sums of each slice to `sums`,
/// [batch][count][m][n] of the accumulator's type; the second, over batch entries, adds them up in
/// the order of the slices and writes C.
struct k_slices {
  void* sums;          ///< not looked at where count is 1
  std::int64_t count;  ///< at least 1
  std::int64_t step;   ///< 0 or 1
};

}  // namespace hornbeam::kernel
