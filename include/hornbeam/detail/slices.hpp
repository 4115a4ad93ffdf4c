// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Kernels that cut k into slices: how many a call gets, and the workspace for their sums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hornbeam/detail/launch_range.hpp>
#include <hornbeam/detail/pieces.hpp>
#include <hornbeam/kernels/slices.hpp>

namespace hornbeam::detail {

/// Largest workspace of one call, in bytes: where the sums need more there are outputs enough to
/// share among work-items without slices. A call in pieces has more outputs yet, so no slices.
constexpr std::int64_t most_workspace_bytes = std::int64_t{4} << 20;
static_assert(most_workspace_bytes < largest_launch);

/// A sum as kernels keep it: of the element type, but no smaller than a float.
template <class T>
constexpr std::int64_t sum_bytes = std::max(sizeof(T), sizeof(float));

/// The geometry of a call that is not empty: its `slices` are those that the call gets, 1 where k
/// is not cut, 0 where the kernel never does.
template <class T>
launch_geometry for_call(launch_geometry geometry, const kernel::matmul_arguments<T>& x,
                         std::int64_t batch) {
  if (geometry.slices == 0) return geometry;
  const std::int64_t room = most_workspace_bytes / sum_bytes<T> / x.m / x.n / batch;
  geometry.slices =
      std::clamp<std::int64_t>(std::min(room, x.k / geometry.least_k), 1, geometry.slices);
  return geometry;
}

/// Bytes of workspace for a launch with the geometry of its call.
template <class T>
std::int64_t workspace_bytes(const launch_geometry& geometry, const kernel::matmul_arguments<T>& x,
                             std::int64_t batch) {
  return geometry.slices <= 1 ? 0 : geometry.slices * x.m * x.n * batch * sum_bytes<T>;
}

/// The launch of a kernel that does all of its work in one step.
inline kernel::k_slices one_step() { return {nullptr, 1, 0}; }

/// Entries of the batch that a launch has work-items for.
inline std::int64_t launched_entries(const kernel::k_slices& part, std::int64_t batch) {
  return part.step == 0 ? part.count * batch : batch;
}

}  // namespace hornbeam::detail
