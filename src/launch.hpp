// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Launch geometry, and the submission itself: the only place that touches a queue.
#pragma once

#include <hornbeam/kernels/arguments.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>
#include <vector>

#include "module_loader.hpp"

namespace hornbeam::detail {

/// Tiles and work-items of a kernel along the rows and columns of C.
struct launch_geometry {
  std::int64_t tile_rows, tile_cols, group_rows, group_cols;
};

/// Work-items along one dimension.
struct dimension_range {
  std::int64_t global, local;
};

/// Covers `size` elements by equal work-groups of at most `group` work-items, `tile` elements each.
/// Groups are made smaller where one would cover more than `size`, which kernels rely on, unless a
/// single tile does. size, tile and group are at least 1; global is a multiple of local.
dimension_range cover(std::int64_t size, std::int64_t tile, std::int64_t group);

/// Submits one kernel over rows x columns x batch of C.
template <class T>
sycl::event launch(sycl::queue& queue, const ready_kernel& kernel, const launch_geometry& geometry,
                   const kernel::matmul_arguments<T>& x, std::int64_t batch,
                   const std::vector<sycl::event>& dependencies);

}  // namespace hornbeam::detail
