// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The local-tile kernel, for GPUs: a work-group computes a tile of C from tiles of op(A) and op(B)
/// that it copies into local memory.
///
/// A work-item keeps Rows x Cols accumulators in registers. The group steps through k by KStep:
/// its work-items copy that much of the group's rows of op(A) and columns of op(B), side by side
/// where memory is contiguous, wait for one another, and add the product of what was copied. With
/// two buffers the next step is copied while this one is used. Parameters and constraints are in
/// local_tile.json.
///
/// Local memory is laid out for the largest group, GroupRows x GroupCols; the launch makes groups
/// smaller where C or the device's limit is small, so how many work-items there are is asked of the
/// group. Rows and columns beyond C repeat the last one and are not stored. Each element is one
/// chain of fused multiply-adds in ascending k, the last step being as short as what is left: same
/// bits as from any other kernel.
#pragma once

#include <hornbeam/kernels/elements.hpp>
#include <hornbeam/kernels/local_memory.hpp>

namespace hornbeam::kernel {

/// What is where in local memory: in each buffer KStep lines of op(A)'s rows, then as many of
/// op(B)'s columns. Padding elements after each line spread what lies below one another over the
/// banks of memory.
template <int GroupRows, int GroupCols, int Rows, int Cols, int KStep, int Padding, int Buffers>
struct local_layout {
  static constexpr int group_rows = GroupRows, group_cols = GroupCols;
  static constexpr int rows = Rows, cols = Cols, k_step = KStep, buffers = Buffers;
  static constexpr int line_a = GroupRows * Rows + Padding;
  static constexpr int line_b = GroupCols * Cols + Padding;
  static constexpr int begin_b = KStep * line_a;
  static constexpr int buffer = KStep * (line_a + line_b);
  static constexpr int elements = Buffers * buffer;
};

/// A group of the size that the layout is for, all of its tile inside C.
template <class Layout>
struct whole_group {
  static constexpr bool guarded = false;
  static constexpr int rows = Layout::group_rows, cols = Layout::group_cols;
};

/// A group of any size up to that, anywhere.
struct any_group {
  static constexpr bool guarded = true;
  int rows, cols;
};

/// A work-item's part in computing its group's tile of C.
template <class T, class Layout, class Group, bool TransposeA, bool TransposeB>
class local_tile_part {
 public:
  static constexpr int Rows = Layout::rows, Cols = Layout::cols;
  using wide = accumulator_t<T>;
  using vector = sycl::vec<wide, Cols>;

  /// The group's tile begins at C(row, col), which is an element of C.
  local_tile_part(const sycl::nd_item<3>& item, const Group& group, const matmul_arguments<T>& x,
                  std::int64_t row, std::int64_t col, T* memory)
      : item_(item),
        group_(group),
        x_(x),
        row_(row),
        col_(col),
        memory_(memory),
        mine_row_(static_cast<int>(item.get_local_id(1))),
        mine_col_(static_cast<int>(item.get_local_id(2))) {}

  /// Adds the product over all of k to the work-item's sums. Every work-item of the group has to
  /// call it.
  void accumulate(vector (&sum)[Rows]) const {
    const std::int64_t steps = (x_.k + Layout::k_step - 1) / Layout::k_step;
    constexpr int ahead = Layout::buffers - 1;
#pragma unroll 1
    for (std::int64_t s = -ahead; s < steps; ++s) {
      if (s + ahead < steps) copy(s + ahead);
      if (ahead == 0) sycl::group_barrier(item_.get_group());  // all is copied
      if (s >= 0) add(s, sum);
      sycl::group_barrier(item_.get_group());  // all is used, and what is next is copied
    }
  }

 private:
  /// Steps of k in step s of the group.
  int depth(std::int64_t s) const {
    return static_cast<int>(sycl::min(std::int64_t{Layout::k_step}, x_.k - s * Layout::k_step));
  }

  T* buffer(std::int64_t s) const {
    return memory_ + static_cast<int>(s % Layout::buffers) * Layout::buffer;
  }

  void copy(std::int64_t s) const {
    const std::int64_t p = s * Layout::k_step;
    const T* const a = x_.a + (TransposeA ? p * x_.lda + row_ : row_ * x_.lda + p);
    const T* const b = x_.b + (TransposeB ? col_ * x_.ldb + p : p * x_.ldb + col_);
    copy_lines<!TransposeA>(a, x_.lda, group_.rows * Rows, x_.m - row_, depth(s), buffer(s),
                            Layout::line_a);
    copy_lines<TransposeB>(b, x_.ldb, group_.cols * Cols, x_.n - col_, depth(s),
                           buffer(s) + Layout::begin_b, Layout::line_b);
  }

  /// Copies `depth` lines of `length` elements each. Neighbours in the group's last dimension copy
  /// neighbours in memory.
  /// \tparam Across whether memory is contiguous across the lines, rather than along them.
  /// \param left elements of a line that there are, at least 1.
  template <bool Across>
  void copy_lines(const T* from, std::int64_t ld, int length, std::int64_t left, int depth, T* to,
                  int line) const {
    const int last = static_cast<int>(sycl::min(std::int64_t{length}, left)) - 1;
    [[maybe_unused]] constexpr int at_once = Group::guarded ? 1 : 8;
#pragma unroll 1
    for (int p = Across ? mine_col_ : mine_row_; p < depth; p += Across ? group_.cols : group_.rows)
#pragma unroll at_once
      for (int i = Across ? mine_row_ : mine_col_; i < length;
           i += Across ? group_.rows : group_.cols) {
        const std::int64_t at = Group::guarded ? sycl::min(i, last) : i;
        to[p * line + i] = from[Across ? at * ld + p : p * ld + at];
      }
  }

  void add(std::int64_t s, vector (&sum)[Rows]) const {
    const T* const a = buffer(s) + mine_row_ * Rows;
    const T* const b = buffer(s) + Layout::begin_b + mine_col_ * Cols;
    const int steps = depth(s);
    int p = 0;
    if (!Group::guarded && steps == Layout::k_step) {
#pragma unroll 4
      for (; p < Layout::k_step; ++p) add(a + p * Layout::line_a, b + p * Layout::line_b, sum);
    }
#pragma unroll 1
    for (; p < steps; ++p) add(a + p * Layout::line_a, b + p * Layout::line_b, sum);
  }

  /// One step of k.
  static void add(const T* a, const T* b, vector (&sum)[Rows]) {
    const auto column = load_vector<Rows>(a);
    const vector line = load_vector<Cols>(b);
#pragma unroll
    for (int r = 0; r < Rows; ++r) sum[r] = sycl::fma(vector(column[r]), line, sum[r]);
  }

  const sycl::nd_item<3>& item_;
  Group group_;
  const matmul_arguments<T>& x_;
  std::int64_t row_, col_;
  T* memory_;
  int mine_row_, mine_col_;
};

/// Stores what of a tile that begins at (row, col) is in C. Few stick out, so for those the code is
/// small rather than fast.
template <class T, int Rows, int Cols>
void store_tile_part(const matmul_arguments<T>& x, std::int64_t row, std::int64_t col,
                     const sycl::vec<accumulator_t<T>, Cols> (&sum)[Rows]) {
  if (row + Rows <= x.m && col + Cols <= x.n) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) store_line(x, row + r, col, sum[r]);
    return;
  }
  accumulator_t<T> spilled[Rows * Cols];
#pragma unroll
  for (int r = 0; r < Rows; ++r) store_vector<Cols>(spilled + r * Cols, sum[r]);
#pragma unroll 1
  for (int r = 0; r < Rows && row + r < x.m; ++r)
#pragma unroll 1
    for (int j = 0; j < Cols && col + j < x.n; ++j)
      store(x, row + r, col + j, spilled[r * Cols + j]);
}

/// Launch: (batch, tiles along rows, tiles along columns) in equal work-groups of at most
/// GroupRows x GroupCols. Any m, n, k >= 0. A group reads each element of its rows of op(A) and
/// columns of op(B) once.
template <class T, int GroupRows, int GroupCols, int Rows, int Cols, int KStep, int Padding,
          int Buffers, bool TransposeA, bool TransposeB>
void local_tile(const sycl::nd_item<3>& item, const matmul_arguments<T>& all,
                const local_memory<T, local_layout<GroupRows, GroupCols, Rows, Cols, KStep, Padding,
                                                   Buffers>::elements>& memory = {}) {
  using layout = local_layout<GroupRows, GroupCols, Rows, Cols, KStep, Padding, Buffers>;
  using whole = whole_group<layout>;
  using wide = accumulator_t<T>;
  const auto x = batch_entry(all, static_cast<std::int64_t>(item.get_global_id(0)));
  const any_group group{static_cast<int>(item.get_local_range(1)),
                        static_cast<int>(item.get_local_range(2))};
  const std::int64_t height = group.rows * Rows, width = group.cols * Cols;
  const std::int64_t row = static_cast<std::int64_t>(item.get_group(1)) * height;
  const std::int64_t col = static_cast<std::int64_t>(item.get_group(2)) * width;
  if (row >= x.m || col >= x.n) return;  // the whole group: none is left waiting for the others
  sycl::vec<wide, Cols> sum[Rows];
#pragma unroll
  for (int r = 0; r < Rows; ++r) sum[r] = sycl::vec<wide, Cols>(wide{0});
  if (group.rows == whole::rows && group.cols == whole::cols && row + height <= x.m &&
      col + width <= x.n)
    local_tile_part<T, layout, whole, TransposeA, TransposeB>(item, {}, x, row, col,
                                                              memory.elements)
        .accumulate(sum);
  else
    local_tile_part<T, layout, any_group, TransposeA, TransposeB>(item, group, x, row, col,
                                                                  memory.elements)
        .accumulate(sum);
  store_tile_part<T, Rows, Cols>(x, row + static_cast<std::int64_t>(item.get_local_id(1)) * Rows,
                                 col + static_cast<std::int64_t>(item.get_local_id(2)) * Cols, sum);
}

}  // namespace hornbeam::kernel
