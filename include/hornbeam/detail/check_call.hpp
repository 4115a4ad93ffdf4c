// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks the sizes, leading dimensions and strides of a call. No string is made, and nothing
/// allocated, unless something is wrong.
#pragma once

#include <cstdint>
#include <hornbeam/detail/checked_call.hpp>
#include <hornbeam/detail/failures.hpp>
#include <hornbeam/types.hpp>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace hornbeam::detail {

/// One matrix as stored: `lines` rows (row-major) or columns (column-major) of `length` elements.
struct stored_matrix {
  const char* name;
  std::int64_t lines, length;

  static stored_matrix of(const char* name, std::int64_t rows, std::int64_t cols, bool by_columns) {
    return by_columns ? stored_matrix{name, cols, rows} : stored_matrix{name, rows, cols};
  }
};

class argument_checker {
 public:
  explicit argument_checker(const char* function) : function_(function) {}

  void size(const char* name, std::int64_t value) const {
    if (value < 0) report(failures::negative_size, name, value);
  }

  /// The leading dimension, packed where absent.
  std::int64_t leading_dimension(const stored_matrix& matrix,
                                 std::optional<std::int64_t> given) const {
    const std::int64_t least = matrix.length > 0 ? matrix.length : 1;
    const std::int64_t value = given.value_or(least);
    if (value < least)
      report(failures::small_leading_dimension, std::string("ld") + matrix.name, value,
             {"least", least});
    return value;
  }

  /// The batch stride, packed where absent. Checks that all offsets fit 64 bits.
  std::int64_t stride(const stored_matrix& matrix, std::int64_t leading, std::int64_t batch,
                      std::optional<std::int64_t> given) const {
    const std::int64_t packed = product(matrix, leading, matrix.lines);
    const std::int64_t value = given.value_or(packed);
    if (value < 0) report(failures::negative_stride, std::string("stride_") + matrix.name, value);
    if (batch > 1) product(matrix, value, batch);
    return value;
  }

  /// C's entries must not overlap.
  void disjoint(const stored_matrix& matrix, std::int64_t leading, std::int64_t stride,
                std::int64_t batch) const {
    if (batch <= 1 || matrix.lines == 0 || matrix.length == 0) return;
    const std::int64_t extent = leading * (matrix.lines - 1) + matrix.length;
    if (stride < extent)
      report(failures::overlapping_entries, "stride_c", stride, {"least", extent});
  }

  void order(layout value) const {
    enumerator("order", static_cast<int>(value), 1, "row_major, column_major");
  }
  void op(const char* name, transpose value) const {
    enumerator(name, static_cast<int>(value), 2, "nontrans, trans, conjtrans");
  }

 private:
  void enumerator(const char* name, int value, int last, const char* permitted) const {
    if (value < 0 || value > last)
      fail(function_, failures::unknown_enumerator,
           {{"argument", name}, {"value", std::to_string(value)}, {"permitted", permitted}});
  }

  std::int64_t product(const stored_matrix& matrix, std::int64_t x, std::int64_t y) const {
    // In bytes, and added to other spans, it must still fit 64 bits.
    constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max() / 32;
    std::int64_t result = 0;
    if (__builtin_mul_overflow(x, y, &result) || result > limit)
      fail(function_, failures::too_large,
           {{"argument", matrix.name},
            {"value", std::to_string(x) + " * " + std::to_string(y)},
            {"most", std::to_string(limit)}});
    return result;
  }

  [[noreturn]] void report(const failure& kind, const std::string& name, std::int64_t value,
                           std::pair<const char*, std::int64_t> bound = {"", 0}) const {
    fail(function_, kind,
         {{"argument", name},
          {"value", std::to_string(value)},
          {bound.first, std::to_string(bound.second)}});
  }

  const char* function_;
};

template <class T>
checked_call<T> to_row_major(checked_call<T> call) {
  auto& x = call.arguments;
  std::swap(x.a, x.b);
  std::swap(x.lda, x.ldb);
  std::swap(x.stride_a, x.stride_b);
  std::swap(x.m, x.n);
  std::swap(call.transpose_a, call.transpose_b);
  call.swapped = true;
  return call;
}

/// Checks everything about a call but its pointers.
/// \param function the public function's name, for messages.
/// \throws invalid_argument
template <class T>
checked_call<T> check_call(const char* function, const T* a, const T* b, T* c,
                           const matmul_shape& shape, const matmul_options<T>& options) {
  const argument_checker check(function);
  check.order(options.order);
  check.op("transa", options.transa);
  check.op("transb", options.transb);
  check.size("m", shape.m);
  check.size("n", shape.n);
  check.size("k", shape.k);
  check.size("batch", shape.batch);

  const bool columns = options.order == layout::column_major;
  checked_call<T> call{};
  auto& x = call.arguments;
  x = {a, b, c, shape.m, shape.n, shape.k, 0, 0, 0, 0, 0, 0, options.alpha, options.beta};
  call.batch = shape.batch;
  call.transpose_a = options.transa != transpose::nontrans;
  call.transpose_b = options.transb != transpose::nontrans;
  // A is stored by lines of k unless exactly one of transposition and column-major order applies.
  const auto a_stored = stored_matrix::of("a", shape.m, shape.k, call.transpose_a != columns);
  const auto b_stored = stored_matrix::of("b", shape.k, shape.n, call.transpose_b != columns);
  const auto c_stored = stored_matrix::of("c", shape.m, shape.n, columns);
  x.lda = check.leading_dimension(a_stored, options.lda);
  x.ldb = check.leading_dimension(b_stored, options.ldb);
  x.ldc = check.leading_dimension(c_stored, options.ldc);
  x.stride_a = check.stride(a_stored, x.lda, shape.batch, options.stride_a);
  x.stride_b = check.stride(b_stored, x.ldb, shape.batch, options.stride_b);
  x.stride_c = check.stride(c_stored, x.ldc, shape.batch, options.stride_c);
  check.disjoint(c_stored, x.ldc, x.stride_c, shape.batch);
  return columns ? to_row_major(call) : call;
}

}  // namespace hornbeam::detail
