// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// How C is divided over work-items and work-groups.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hornbeam/detail/launch_geometry.hpp>
#include <hornbeam/detail/sycl.hpp>

namespace hornbeam::detail {

/// What a launch is for, all at least 1 but for k.
struct launch_size {
  std::int64_t m, n, k, batch;
};

/// What counts of a device.
struct device_size {
  std::int64_t max_group;      ///< work-items of the largest work-group
  std::int64_t compute_units;  ///< work-groups that it runs at a time
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

/// One dimension of C, shared out in whole tiles.
struct equal_shares {
  std::int64_t tiles, each;

  equal_shares(std::int64_t size, std::int64_t most, std::int64_t tile)
      : tiles(divide_up(size, tile)), each(divide_up(tiles, divide_up(size, most))) {}

  std::int64_t count() const { return divide_up(tiles, each); }
  void halve() { each = divide_up(each, 2); }
};

/// Shares C among single work-items: as few as the largest tile allows, but more where compute
/// units would have nothing to do or less than others.
inline sycl::range<3> shared_range(const launch_geometry& tile, std::int64_t compute_units,
                                   const launch_size& size) {
  constexpr std::int64_t many = 4;  // work-groups for a unit, of which one more or less is nothing
  constexpr double least_work = 1 << 16;  // multiply-adds that are worth another thread's waking
  equal_shares rows(size.m, tile.tile_rows, tile.least_rows);
  equal_shares cols(size.n, tile.tile_cols, tile.least_cols);
  const auto product = [batch = size.batch](std::int64_t x, std::int64_t y) {
    return static_cast<double>(x) * static_cast<double>(y) * static_cast<double>(batch);
  };
  const double work = product(size.m, size.n) * static_cast<double>(size.k);
  const auto uneven = [&] {
    const double groups = product(rows.count(), cols.count());
    return groups < static_cast<double>(many * compute_units) &&
           static_cast<std::int64_t>(groups) % compute_units != 0 &&
           work >= 2 * least_work * groups;
  };
  while (uneven() && (rows.each > 1 || cols.each > 1))
    (rows.each >= cols.each ? rows : cols).halve();
  return {static_cast<std::size_t>(size.batch), static_cast<std::size_t>(rows.count()),
          static_cast<std::size_t>(cols.count())};
}

/// The range of a launch: batch, rows, columns.
inline sycl::nd_range<3> launch_range(const launch_geometry& geometry, const device_size& device,
                                      const launch_size& size) {
  if (geometry.least_rows != 0)
    return {shared_range(geometry, device.compute_units, size), sycl::range<3>(1, 1, 1)};
  const auto cols =
      cover(size.n, geometry.tile_cols, std::min(geometry.group_cols, device.max_group));
  const auto rows = cover(
      size.m, geometry.tile_rows,
      std::max<std::int64_t>(1, std::min(geometry.group_rows, device.max_group / cols.local)));
  const auto range = [](std::int64_t x, std::int64_t y, std::int64_t z) {
    return sycl::range<3>(static_cast<std::size_t>(x), static_cast<std::size_t>(y),
                          static_cast<std::size_t>(z));
  };
  return {range(size.batch, rows.global, cols.global), range(1, rows.local, cols.local)};
}

}  // namespace hornbeam::detail
