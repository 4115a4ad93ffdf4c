// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Arguments of a matrix multiplication.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace hornbeam {

/// Storage order of the matrices of one call.
enum class layout { row_major, column_major };

/// What op() does to a matrix. For real element types conjtrans is trans.
enum class transpose { nontrans, trans, conjtrans };

/// Sizes of C[m,n] = alpha * op(A)[m,k] * op(B)[k,n] + beta * C, for each of `batch` entries; all
/// >= 0.
struct matmul_shape {
  std::int64_t m, n, k;
  std::int64_t batch = 1;
};

/// Memory that a call may use until it is complete; no other call may use it meanwhile.
struct workspace {
  void* memory;       ///< USM of the queue's context, aligned as an allocation is
  std::size_t bytes;  ///< at least workspace_size()
};

/// Everything about a matrix multiplication that has a usual value.
template <class T>
struct matmul_options {
  layout order = layout::row_major;
  transpose transa = transpose::nontrans;
  transpose transb = transpose::nontrans;
  T alpha{1};
  T beta{0};
  /// Elements between consecutive rows (row-major) or columns (column-major) as stored; absent:
  /// packed.
  std::optional<std::int64_t> lda, ldb, ldc;
  /// Elements between consecutive entries of the batch; absent: packed; 0: the same A or B for all.
  std::optional<std::int64_t> stride_a, stride_b, stride_c;
  /// Id of the deployed kernel to use instead of the one the tree picks; see kernels().
  std::optional<std::string> kernel;
  /// Used by kernels that keep sums in memory, see workspace_size(); absent: the library's own.
  std::optional<hornbeam::workspace> workspace;
};

}  // namespace hornbeam
