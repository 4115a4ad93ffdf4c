// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is generated: for each target device the kernels that are compiled in, and the tree that
/// picks one of them by size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <hornbeam/detail/kernel_entry.hpp>
#include <hornbeam/detail/launch_geometry.hpp>

namespace hornbeam::detail {

/// One configuration: a compiled variant and its launch geometry.
struct deployed_kernel {
  const char* id;
  bool bit_stable;  ///< gives the same bits as all other kernels of which this is true
  launch_geometry geometry;
  const kernel_entry* entries[4];  ///< index 2 * transpose_a + transpose_b
};

/// A leaf of the tree; path says in words how it is reached, "" for a lone leaf.
struct leaf {
  std::int32_t kernel;
  float expected_share;
  const char* path;
};

/// Row-major sizes, all at least 1.
struct problem_size {
  std::int64_t m, k, n, batch;
  bool transpose_a, transpose_b;
};

/// One data type of one target. The last kernel is always "reference".
struct selection_table {
  const char* data_type;
  const deployed_kernel* kernels;
  std::size_t kernel_count;
  const leaf* leaves;
  std::size_t leaf_count;
  std::int32_t (*select)(const problem_size&);  ///< index into leaves
  double held_out_share;                        ///< NaN where nothing was measured
  const char* dataset_digest;
  const char* note;
};

/// A device that the library was built for.
struct target {
  const char* key;
  const char* dataset_key;
  const char* match;
  const selection_table* tables;
  std::size_t table_count;
};

extern const target targets[];
extern const std::size_t target_count;
extern const char* const generator_version;

}  // namespace hornbeam::detail
