// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// What every matmul kernel is given. Plain data, used by host and device.
#pragma once

#include <cstdint>

namespace hornbeam::kernel {

/// Operands of C = alpha * op(A) * op(B) + beta * C for every entry of a batch, row-major.
///
/// op(A) is m x k, op(B) is k x n, C is m x n. A transposed operand is stored as k x m (A) or n x k
/// (B); whether it is, is a template parameter of the kernel. Leading dimensions and batch strides
/// count elements. A and B are not read when k is 0; C is not read when beta is 0.
template <class T>
struct matmul_arguments {
  const T* a;
  const T* b;
  T* c;
  std::int64_t m, n, k;
  std::int64_t lda, ldb, ldc;
  std::int64_t stride_a, stride_b, stride_c;
  T alpha, beta;
};

}  // namespace hornbeam::kernel
