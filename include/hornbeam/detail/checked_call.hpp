// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// A matmul call after its arguments were checked: row-major, every default filled in.
#pragma once

#include <hornbeam/detail/deployment.hpp>
#include <hornbeam/kernels/arguments.hpp>

namespace hornbeam::detail {

/// A checked call. Column-major calls are turned into row-major ones, since C = A * B stored by
/// columns is C' = B' * A' stored by rows: operands, their transposes, m and n change places.
template <class T>
struct checked_call {
  kernel::matmul_arguments<T> arguments;
  std::int64_t batch;
  bool transpose_a, transpose_b;
  bool swapped;  ///< A and B, m and n have changed places

  /// Nothing to write.
  bool empty() const { return arguments.m == 0 || arguments.n == 0 || batch == 0; }
  /// alpha * op(A) * op(B) contributes something; otherwise A and B are not looked at.
  bool has_product() const { return !empty() && arguments.k > 0 && arguments.alpha != T{0}; }

  problem_size size() const {
    return {arguments.m, arguments.k, arguments.n, batch, transpose_a, transpose_b};
  }
  int transposes() const { return 2 * (transpose_a ? 1 : 0) + (transpose_b ? 1 : 0); }

  /// Elements from the first to the last of each matrix, over the whole batch. For calls with a
  /// product (a, b) or that are not empty (c).
  std::int64_t extent_a() const {
    const auto& x = arguments;
    return transpose_a ? extent(x.k, x.m, x.lda, x.stride_a) : extent(x.m, x.k, x.lda, x.stride_a);
  }
  std::int64_t extent_b() const {
    const auto& x = arguments;
    return transpose_b ? extent(x.n, x.k, x.ldb, x.stride_b) : extent(x.k, x.n, x.ldb, x.stride_b);
  }
  std::int64_t extent_c() const {
    return extent(arguments.m, arguments.n, arguments.ldc, arguments.stride_c);
  }

 private:
  std::int64_t extent(std::int64_t lines, std::int64_t length, std::int64_t leading,
                      std::int64_t stride) const {
    return stride * (batch - 1) + leading * (lines - 1) + length;
  }
};

}  // namespace hornbeam::detail
