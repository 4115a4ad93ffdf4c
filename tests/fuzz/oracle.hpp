// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The documented rules of a matmul call, written a second time: in 128 bits, where nothing
/// overflows, and from the caller's view, where nothing is swapped.
#pragma once

#include <hornbeam/types.hpp>
#include <limits>
#include <set>
#include <string>

namespace fuzz {

using wide = __int128;

/// One operand as the caller stores it.
struct operand {
  wide rows, cols;  ///< as stored, i.e. before op()
  wide leading, stride;
  bool by_columns;

  wide lines() const { return by_columns ? cols : rows; }
  wide length() const { return by_columns ? rows : cols; }

  /// Elements in front of the one at (row, col) of the stored matrix.
  wide at(wide entry, wide row, wide col) const {
    return entry * stride + (by_columns ? col * leading + row : row * leading + col);
  }
};

/// What the documentation says of a call.
template <class T>
class oracle {
 public:
  oracle(const hornbeam::matmul_shape& shape, const hornbeam::matmul_options<T>& options)
      : shape_(shape),
        options_(options),
        columns_(options.order == hornbeam::layout::column_major) {
    const bool nonsense = enumerator("order", static_cast<int>(options.order), 1) |
                          enumerator("transa", static_cast<int>(options.transa), 2) |
                          enumerator("transb", static_cast<int>(options.transb), 2) |
                          negative("m", shape.m) | negative("n", shape.n) | negative("k", shape.k) |
                          negative("batch", shape.batch);
    if (nonsense) return;
    const bool ta = options.transa != hornbeam::transpose::nontrans;
    const bool tb = options.transb != hornbeam::transpose::nontrans;
    a_ = store('a', ta ? shape.k : shape.m, ta ? shape.m : shape.k, options.lda, options.stride_a);
    b_ = store('b', tb ? shape.n : shape.k, tb ? shape.k : shape.n, options.ldb, options.stride_b);
    c_ = store('c', shape.m, shape.n, options.ldc, options.stride_c);
    const bool overlaps = shape.batch > 1 && shape.m > 0 && shape.n > 0 &&
                          c_.stride < c_.leading * (c_.lines() - 1) + c_.length();
    if (overlaps) wrong_.insert("stride_c is ");
  }

  /// How the message of each broken rule begins; empty where the call is right.
  const std::set<std::string>& wrong() const { return wrong_; }

  // Position of op(A)[row, col] and the like, in elements from the caller's pointer.
  wide a(wide entry, wide row, wide col) const {
    return options_.transa == hornbeam::transpose::nontrans ? a_.at(entry, row, col)
                                                            : a_.at(entry, col, row);
  }
  wide b(wide entry, wide row, wide col) const {
    return options_.transb == hornbeam::transpose::nontrans ? b_.at(entry, row, col)
                                                            : b_.at(entry, col, row);
  }
  wide c(wide entry, wide row, wide col) const { return c_.at(entry, row, col); }

 private:
  static constexpr wide most_elements = std::numeric_limits<std::int64_t>::max() / 32;

  bool broken(bool is, const std::string& message) {
    if (is) wrong_.insert(message);
    return is;
  }
  bool enumerator(const char* name, int value, int last) {
    return broken(value < 0 || value > last, std::string(name) + " is ");
  }
  bool negative(const std::string& name, std::int64_t value) {
    return broken(value < 0, name + " is ");
  }

  operand store(char name, wide rows, wide cols, const std::optional<std::int64_t>& leading,
                const std::optional<std::int64_t>& stride) {
    operand x{rows, cols, 0, 0, columns_};
    const wide least = x.length() > 1 ? x.length() : 1;
    x.leading = leading ? *leading : least;
    const bool short_leading = broken(x.leading < least, std::string("ld") + name + " is ");
    const std::string spans = std::string("matrix ") + name + " spans ";
    // A stride is looked at only where the leading dimension is right.
    if (short_leading || broken(x.leading * x.lines() > most_elements, spans)) return x;
    x.stride = stride ? *stride : x.leading * x.lines();
    if (!negative(std::string("stride_") + name, static_cast<std::int64_t>(x.stride)))
      broken(shape_.batch > 1 && x.stride * shape_.batch > most_elements, spans);
    return x;
  }

  hornbeam::matmul_shape shape_;
  const hornbeam::matmul_options<T>& options_;
  bool columns_;
  operand a_{}, b_{}, c_{};
  std::set<std::string> wrong_;
};

}  // namespace fuzz
