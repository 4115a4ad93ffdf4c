// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// How C is divided over work-items and work-groups.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hornbeam/detail/sycl.hpp>

namespace hornbeam::detail {

/// Tiles and work-items of a kernel along the rows and columns of C, and into how many slices of
/// which least size k is cut: 0 where the kernel does not.
struct launch_geometry {
  std::int64_t tile_rows, tile_cols, group_rows, group_cols;
  std::int64_t slices = 0, least_k = 0;
};

/// Work-items along one dimension.
struct dimension_range {
  std::int64_t global, local;
};

inline std::int64_t divide_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

/// Covers `size` elements by equal work-groups of at most `group` work-items, `tile` elements each.
/// Groups are made smaller where one would cover more than `size`, which kernels rely on, unless a
/// single tile does. size, tile and group are at least 1; global is a multiple of local.
inline dimension_range cover(std::int64_t size, std::int64_t tile, std::int64_t group) {
  const std::int64_t tiles = divide_up(size, tile);
  const std::int64_t largest = std::max<std::int64_t>(1, std::min(group, size / tile));
  const std::int64_t local = divide_up(tiles, divide_up(tiles, largest));
  return {divide_up(tiles, local) * local, local};
}

/// The range of a launch: batch, rows, columns.
/// \param max_group largest work-group that the device takes.
inline sycl::nd_range<3> launch_range(const launch_geometry& geometry, std::int64_t max_group,
                                      std::int64_t m, std::int64_t n, std::int64_t batch) {
  const auto cols = cover(n, geometry.tile_cols, std::min(geometry.group_cols, max_group));
  const auto rows =
      cover(m, geometry.tile_rows,
            std::max<std::int64_t>(1, std::min(geometry.group_rows, max_group / cols.local)));
  const auto range = [](std::int64_t x, std::int64_t y, std::int64_t z) {
    return sycl::range<3>(static_cast<std::size_t>(x), static_cast<std::size_t>(y),
                          static_cast<std::size_t>(z));
  };
  return {range(batch, rows.global, cols.global), range(1, rows.local, cols.local)};
}

}  // namespace hornbeam::detail
