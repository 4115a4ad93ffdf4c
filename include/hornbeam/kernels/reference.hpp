// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The reference kernel: one element of C per work-item. Always compiled; the fallback, and the
/// oracle that other kernels are compared with on the device. Its parameters are in reference.json.
#pragma once

#include <hornbeam/kernels/elements.hpp>

namespace hornbeam::kernel {

/// Launch: (batch, rows, columns), each rounded up to the work-group; items outside C do nothing.
/// Any m, n, k >= 0. Reads 2k elements and does k fused multiply-adds per work-item.
template <class T, bool TransposeA, bool TransposeB>
void reference(const sycl::nd_item<3>& item, const matmul_arguments<T>& all) {
  const auto row = static_cast<std::int64_t>(item.get_global_id(1));
  const auto col = static_cast<std::int64_t>(item.get_global_id(2));
  if (row >= all.m || col >= all.n) return;
  const auto x = batch_entry(all, static_cast<std::int64_t>(item.get_global_id(0)));
  store(x, row, col, dot<TransposeA, TransposeB>(x, row, col));
}

}  // namespace hornbeam::kernel
