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
  std::int64_t begin;
  int size;
};

/// The work-item's part of `size` rows or columns: equal parts in whole tiles, so that the last
/// work-item has no more to do than the others, and may have nothing.
inline block block_of(const sycl::nd_item<3>& item, int dimension, std::int64_t size, int tile) {
  const auto blocks = static_cast<std::int64_t>(item.get_global_range(dimension));
  const std::int64_t tiles = (size + tile - 1) / tile;
  const std::int64_t extent = (tiles + blocks - 1) / blocks * tile;
  const std::int64_t begin = static_cast<std::int64_t>(item.get_global_id(dimension)) * extent;
  return {begin, static_cast<int>(sycl::max<std::int64_t>(0, sycl::min(size - begin, extent)))};
}

}  // namespace hornbeam::kernel
