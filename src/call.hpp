// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// A matmul call after its arguments were checked: row-major, every default filled in.
#pragma once

#include <hornbeam/kernels/arguments.hpp>
#include <hornbeam/types.hpp>

#include "deployment.hpp"

namespace hornbeam::detail {

/// A checked call. Column-major calls are turned into row-major ones, since C = A * B stored by
/// columns is C' = B' * A' stored by rows: operands, their transposes, m and n change places.
template <class T>
struct checked_call {
  kernel::matmul_arguments<T> arguments;
  std::int64_t batch;
  bool transpose_a, transpose_b;

  /// Nothing to write.
  bool empty() const { return arguments.m == 0 || arguments.n == 0 || batch == 0; }
  /// alpha * op(A) * op(B) contributes something; otherwise A and B are not looked at.
  bool has_product() const { return !empty() && arguments.k > 0 && arguments.alpha != T{0}; }

  problem_size size() const {
    return {arguments.m, arguments.k, arguments.n, batch, transpose_a, transpose_b};
  }
  int transposes() const { return 2 * (transpose_a ? 1 : 0) + (transpose_b ? 1 : 0); }
};

/// Checks sizes, leading dimensions and strides.
/// \param function the public function's name, for messages.
/// \throws invalid_argument
template <class T>
checked_call<T> check_call(const char* function, const T* a, const T* b, T* c,
                           const matmul_shape& shape, const matmul_options<T>& options);

}  // namespace hornbeam::detail
