// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// How kernels whose work-groups are single work-items share C out among them.
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

namespace hornbeam::kernel {

/// Rows (or columns) of C that a work-item computes; none where size is 0.
struct block {
  std::int64_t begin, size;
};

/// How much to do at a time of `size` rows or columns: whole tiles, as equal as they can be.
inline std::int64_t equal_share(std::int64_t size, std::int64_t parts, int tile) {
  const std::int64_t tiles = (size + tile - 1) / tile;
  return (tiles + parts - 1) / parts * tile;
}

/// equal_share() of the fewest parts that are no larger than `most`, which is at least a tile.
inline std::int64_t step_of(std::int64_t size, std::int64_t most, int tile) {
  const std::int64_t tiles = (size + tile - 1) / tile, most_tiles = most / tile;
  return equal_share(size, sycl::max<std::int64_t>(1, (tiles + most_tiles - 1) / most_tiles), tile);
}

/// The work-item's part of `size` rows or columns: equal parts in whole tiles, so that the last
/// work-item has no more to do than the others, and may have nothing.
inline block block_of(const sycl::nd_item<3>& item, int dimension, std::int64_t size, int tile) {
  const auto blocks = static_cast<std::int64_t>(item.get_global_range(dimension));
  const std::int64_t extent = equal_share(size, blocks, tile);
  const std::int64_t begin = static_cast<std::int64_t>(item.get_global_id(dimension)) * extent;
  return {begin, sycl::max<std::int64_t>(0, sycl::min(size - begin, extent))};
}

}  // namespace hornbeam::kernel
