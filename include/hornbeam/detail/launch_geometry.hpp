// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a kernel's definition says of its launches.
#pragma once

#include <cstdint>

namespace hornbeam::detail {

/// Elements of C that a work-item computes, and work-items of a work-group, along rows and columns.
///
/// Where `least` is given, that is not 0, work-groups are single work-items, `tile` is the most
/// that one computes, and any number of them may share C in whole multiples of `least`.
/// `slices` says into how many k may be cut, `least_k` how small they may be: 0 where the kernel
/// does not.
struct launch_geometry {
  std::int64_t tile_rows, tile_cols, group_rows, group_cols;
  std::int64_t least_rows = 0, least_cols = 0;
  std::int64_t slices = 0, least_k = 0;
};

}  // namespace hornbeam::detail
