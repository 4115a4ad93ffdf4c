// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

#include <hornbeam/errors.hpp>
#include <limits>
#include <string>
#include <utility>

namespace hornbeam::detail {
namespace {

using std::int64_t;

std::string number(int64_t value) { return std::to_string(value); }

/// One matrix as stored: `lines` rows (row-major) or columns (column-major) of `length` elements.
struct stored_matrix {
  const char* name;
  int64_t lines, length;
};

class checker {
 public:
  explicit checker(const char* function) : function_(function) {}

  void size(const char* name, int64_t value) const {
    if (value < 0) fail(std::string(name) + " is " + number(value) + ", must be at least 0");
  }

  /// The leading dimension, packed where absent.
  int64_t leading_dimension(const stored_matrix& matrix, std::optional<int64_t> given) const {
    const int64_t least = matrix.length > 0 ? matrix.length : 1;
    const int64_t value = given.value_or(least);
    if (value < least)
      fail("ld" + std::string(matrix.name) + " is " + number(value) + ", must be at least " +
           number(least));
    return value;
  }

  /// The batch stride, packed where absent. Checks that all offsets fit 64 bits.
  int64_t stride(const stored_matrix& matrix, int64_t leading, int64_t batch,
                 std::optional<int64_t> given) const {
    const int64_t packed = product(matrix, leading, matrix.lines);
    const int64_t value = given.value_or(packed);
    if (value < 0)
      fail("stride_" + std::string(matrix.name) + " is " + number(value) + ", must be at least 0");
    if (batch > 1) product(matrix, value, batch);
    return value;
  }

  /// C's entries must not overlap.
  void disjoint(const stored_matrix& matrix, int64_t leading, int64_t stride, int64_t batch) const {
    if (batch <= 1 || matrix.lines == 0 || matrix.length == 0) return;
    const int64_t extent = leading * (matrix.lines - 1) + matrix.length;
    if (stride < extent)
      fail("stride_c is " + number(stride) + ", must be at least " + number(extent) +
           " so that the entries of the batch do not overlap");
  }

  template <class Enum>
  void enumerator(const char* name, Enum value, int last) const {
    if (static_cast<int>(value) < 0 || static_cast<int>(value) > last)
      fail(std::string(name) + " is " + number(static_cast<int>(value)) +
           ", must be an enumerator of its type");
  }

 private:
  int64_t product(const stored_matrix& matrix, int64_t x, int64_t y) const {
    // In bytes, and added to other spans, it must still fit 64 bits.
    constexpr int64_t limit = std::numeric_limits<int64_t>::max() / 32;
    int64_t result = 0;
    if (__builtin_mul_overflow(x, y, &result) || result > limit)
      fail("matrix " + std::string(matrix.name) + " spans " + number(x) + " * " + number(y) +
           " elements, must be at most " + number(limit));
    return result;
  }

  [[noreturn]] void fail(const std::string& info) const { throw invalid_argument(function_, info); }

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
  return call;
}

}  // namespace

template <class T>
checked_call<T> check_call(const char* function, const T* a, const T* b, T* c,
                           const matmul_shape& shape, const matmul_options<T>& options) {
  const checker check(function);
  check.enumerator("order", options.order, 1);
  check.enumerator("transa", options.transa, 2);
  check.enumerator("transb", options.transb, 2);
  check.size("m", shape.m);
  check.size("n", shape.n);
  check.size("k", shape.k);
  check.size("batch", shape.batch);

  const bool columns = options.order == layout::column_major;
  const bool transpose_a = options.transa != transpose::nontrans;
  const bool transpose_b = options.transb != transpose::nontrans;
  // A is stored by lines of k unless exactly one of transposition and column-major order applies.
  const auto matrix = [](const char* name, int64_t rows, int64_t cols, bool swapped) {
    return swapped ? stored_matrix{name, cols, rows} : stored_matrix{name, rows, cols};
  };
  const auto a_stored = matrix("a", shape.m, shape.k, transpose_a != columns);
  const auto b_stored = matrix("b", shape.k, shape.n, transpose_b != columns);
  const auto c_stored = matrix("c", shape.m, shape.n, columns);

  checked_call<T> call{};
  auto& x = call.arguments;
  x = {a, b, c, shape.m, shape.n, shape.k, 0, 0, 0, 0, 0, 0, options.alpha, options.beta};
  call.batch = shape.batch;
  call.transpose_a = transpose_a;
  call.transpose_b = transpose_b;
  x.lda = check.leading_dimension(a_stored, options.lda);
  x.ldb = check.leading_dimension(b_stored, options.ldb);
  x.ldc = check.leading_dimension(c_stored, options.ldc);
  x.stride_a = check.stride(a_stored, x.lda, shape.batch, options.stride_a);
  x.stride_b = check.stride(b_stored, x.ldb, shape.batch, options.stride_b);
  x.stride_c = check.stride(c_stored, x.ldc, shape.batch, options.stride_c);
  check.disjoint(c_stored, x.ldc, x.stride_c, shape.batch);
  return columns ? to_row_major(call) : call;
}

template checked_call<float> check_call(const char*, const float*, const float*, float*,
                                        const matmul_shape&, const matmul_options<float>&);
template checked_call<double> check_call(const char*, const double*, const double*, double*,
                                         const matmul_shape&, const matmul_options<double>&);

}  // namespace hornbeam::detail
