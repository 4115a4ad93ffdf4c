// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include <algorithm>
#include <sycl/handler.hpp>

namespace hornbeam::detail {
namespace {

std::int64_t divide_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

sycl::nd_range<3> launch_range(const launch_geometry& geometry, std::int64_t max_group,
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

}  // namespace

dimension_range cover(std::int64_t size, std::int64_t tile, std::int64_t group) {
  const std::int64_t tiles = divide_up(size, tile);
  const std::int64_t largest = std::max<std::int64_t>(1, std::min(group, size / tile));
  const std::int64_t local = divide_up(tiles, divide_up(tiles, largest));
  return {divide_up(tiles, local) * local, local};
}

template <class T>
sycl::event launch(sycl::queue& queue, const ready_kernel& kernel, const launch_geometry& geometry,
                   const kernel::matmul_arguments<T>& x, std::int64_t batch,
                   const std::vector<sycl::event>& dependencies) {
  const auto range = launch_range(geometry, kernel.max_work_group_size, x.m, x.n, batch);
  return queue.submit([&](sycl::handler& handler) {
    handler.depends_on(dependencies);
    handler.set_args(x.a, x.b, x.c, x.m, x.n, x.k, x.lda, x.ldb, x.ldc, x.stride_a, x.stride_b,
                     x.stride_c, x.alpha, x.beta);
    handler.parallel_for(range, kernel.kernel);
  });
}

template sycl::event launch(sycl::queue&, const ready_kernel&, const launch_geometry&,
                            const kernel::matmul_arguments<float>&, std::int64_t,
                            const std::vector<sycl::event>&);
template sycl::event launch(sycl::queue&, const ready_kernel&, const launch_geometry&,
                            const kernel::matmul_arguments<double>&, std::int64_t,
                            const std::vector<sycl::event>&);

}  // namespace hornbeam::detail
