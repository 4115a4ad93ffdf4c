// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fuzz target: everything between a call of matmul and its launch that needs no device, compared
/// with an independent reading of the documentation.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <hornbeam/detail/check_call.hpp>
#include <hornbeam/detail/launch_range.hpp>
#include <hornbeam/detail/pieces.hpp>
#include <hornbeam/detail/select.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "input.hpp"
#include "oracle.hpp"

namespace {

using fuzz::wide;
using hornbeam::detail::checked_call;
using value = double;
using call_oracle = fuzz::oracle<value>;

void require(bool condition, const char* what) {
  if (condition) return;
  std::cerr << "not true: " << what << '\n';
  std::abort();
}

/// Distinct addresses that are never followed, with room for every offset that a call may have.
template <class T>
T* base(std::uintptr_t number) {
  return reinterpret_cast<T*>(number << 16);  // NOLINT(performance-no-int-to-ptr)
}

wide offset(const value* pointer, std::uintptr_t number) {
  return (static_cast<wide>(reinterpret_cast<std::uintptr_t>(pointer)) -
          static_cast<wide>(number << 16)) /
         static_cast<wide>(sizeof(value));
}

hornbeam::matmul_shape draw_shape(fuzz::input& in) {
  return {in.size(), in.size(), in.size(), in.below(2) == 0 ? 1 : in.size()};
}

hornbeam::matmul_options<value> draw_options(fuzz::input& in, const hornbeam::matmul_shape& shape) {
  hornbeam::matmul_options<value> options;
  const auto enumerator = [&](int count) {
    const int drawn = in.byte();
    return drawn < 240 ? drawn % count : drawn - 250;
  };
  options.order = static_cast<hornbeam::layout>(enumerator(2));
  options.transa = static_cast<hornbeam::transpose>(enumerator(3));
  options.transb = static_cast<hornbeam::transpose>(enumerator(3));
  const value scalars[] = {1, 0, -0.0, INFINITY, NAN};
  options.alpha = scalars[in.below(5)];
  const auto longest = std::max({shape.m, shape.n, shape.k});
  options.lda = in.option(in.below(2) == 0 ? shape.k : longest);
  options.ldb = in.option(in.below(2) == 0 ? shape.n : longest);
  options.ldc = in.option(in.below(2) == 0 ? shape.n : longest);
  std::int64_t area = 0;
  if (__builtin_mul_overflow(options.ldc.value_or(shape.n), shape.m, &area)) area = shape.m;
  options.stride_a = in.option(0);
  options.stride_b = in.option(0);
  options.stride_c = in.option(area);
  return options;
}

/// Every element of a call lies where the caller put it, and inside the extents.
void check_places(const checked_call<value>& call, const call_oracle& wanted) {
  const auto& x = call.arguments;
  const auto at = [](bool transposed, wide leading, wide row, wide col) {
    return transposed ? col * leading + row : row * leading + col;
  };
  for (const wide entry : {wide{0}, static_cast<wide>(call.batch) - 1})
    for (const wide row : {wide{0}, static_cast<wide>(x.m) / 2, static_cast<wide>(x.m) - 1})
      for (const wide col : {wide{0}, static_cast<wide>(x.n) / 2, static_cast<wide>(x.n) - 1}) {
        const wide c = entry * x.stride_c + row * x.ldc + col;
        require(c == (call.swapped ? wanted.c(entry, col, row) : wanted.c(entry, row, col)), "C");
        require(c < call.extent_c(), "C inside its extent");
        if (!call.has_product()) continue;
        for (const wide step : {wide{0}, static_cast<wide>(x.k) / 2, static_cast<wide>(x.k) - 1}) {
          const wide a = entry * x.stride_a + at(call.transpose_a, x.lda, row, step);
          const wide b = entry * x.stride_b + at(call.transpose_b, x.ldb, step, col);
          require(a == (call.swapped ? wanted.b(entry, step, row) : wanted.a(entry, row, step)),
                  "A");
          require(b == (call.swapped ? wanted.a(entry, col, step) : wanted.b(entry, step, col)),
                  "B");
          require(a < call.extent_a() && b < call.extent_b(), "A and B inside their extents");
        }
      }
  const wide last_c = wide{call.batch - 1} * x.stride_c + wide{x.m - 1} * x.ldc + wide{x.n - 1};
  require(call.extent_c() == last_c + 1, "the extent of C is the least");
  require(wide{call.extent_c()} * wide{sizeof(value)} < std::numeric_limits<std::int64_t>::max(),
          "C in bytes fits 64 bits");
}

/// Part of C that a piece writes.
struct box {
  wide first[3], size[3];  // entry, row, column

  bool overlaps(const box& other) const {
    for (int i = 0; i < 3; ++i)
      if (first[i] + size[i] <= other.first[i] || other.first[i] + other.size[i] <= first[i])
        return false;
    return true;
  }
  wide volume() const { return size[0] * size[1] * size[2]; }
};

box box_of(const checked_call<value>& whole, const checked_call<value>& piece) {
  const auto& x = whole.arguments;
  const auto& part = piece.arguments;
  const wide from = offset(part.c, 3);
  const wide entry = whole.batch > 1 ? from / x.stride_c : 0, rest = from - entry * x.stride_c;
  const box result{{entry, rest / x.ldc, rest % x.ldc}, {piece.batch, part.m, part.n}};
  const auto [row, col] = std::pair(result.first[1], result.first[2]);
  require((part.a == nullptr) == (x.a == nullptr) && (part.b == nullptr) == (x.b == nullptr),
          "a piece has the operands of the call");
  if (part.a != nullptr)
    require(offset(part.a, 1) == entry * x.stride_a + row * (piece.transpose_a ? 1 : x.lda),
            "a piece starts at its rows of A");
  if (part.b != nullptr)
    require(offset(part.b, 2) == entry * x.stride_b + col * (piece.transpose_b ? x.ldb : 1),
            "a piece starts at its columns of B");
  return result;
}

/// Pieces are launches, and together write each element of C once.
std::vector<checked_call<value>> check_pieces(const checked_call<value>& call) {
  using hornbeam::detail::largest_launch;
  const wide sizes[] = {call.batch, call.arguments.m, call.arguments.n};
  wide count = 1;
  for (const wide size : sizes) count *= std::min<wide>((size - 1) / largest_launch + 1, 1000);
  if (count > 100) return {};  // more memory than there is
  const auto pieces = hornbeam::detail::pieces(call);
  require(hornbeam::detail::is_one_launch(call) == (pieces.size() == 1), "one launch, one piece");
  std::vector<box> boxes;
  wide volume = 0;
  for (const auto& piece : pieces) {
    require(hornbeam::detail::is_one_launch(piece), "a piece is one launch");
    const box mine = box_of(call, piece);
    for (int i = 0; i < 3; ++i)
      require(mine.first[i] >= 0 && mine.size[i] > 0 && mine.first[i] + mine.size[i] <= sizes[i],
              "a piece lies in C");
    for (const box& other : boxes) require(!mine.overlaps(other), "pieces are disjoint");
    boxes.push_back(mine);
    volume += mine.volume();
  }
  require(volume == sizes[0] * sizes[1] * sizes[2], "pieces cover C");
  return pieces;
}

void check_dimension(wide global, wide local, wide size, wide tile, wide group) {
  require(local >= 1 && local <= std::max<wide>(1, group), "work-groups are as large as allowed");
  require(global % local == 0, "work-groups are whole");
  require(global * tile >= size && (global - local) * tile < size, "no work-group is idle");
  require(local * tile <= size || global == 1, "no work-group covers more than there is");
}

/// Single work-items that share C.
void check_shares(wide count, wide size, wide tile, wide least) {
  const wide tiles = (size + least - 1) / least, each = (tiles + count - 1) / count;
  require(count >= 1 && (count - 1) * each < tiles, "no work-item is idle");
  require(each * least < tile + least, "no work-item has more than it can do");
}

void check_range(const checked_call<value>& call, const hornbeam::detail::launch_geometry& geometry,
                 const hornbeam::detail::device_size& device) {
  const auto& x = call.arguments;
  const auto range = hornbeam::detail::launch_range(geometry, device, {x.m, x.n, x.k, call.batch});
  const auto global = range.get_global_range(), local = range.get_local_range();
  if (geometry.least_rows != 0) {
    check_shares(global[1], x.m, geometry.tile_rows, geometry.least_rows);
    check_shares(global[2], x.n, geometry.tile_cols, geometry.least_cols);
    require(local.size() == 1, "work-groups are single work-items");
  } else {
    check_dimension(global[1], local[1], x.m, geometry.tile_rows, geometry.group_rows);
    check_dimension(global[2], local[2], x.n, geometry.tile_cols, geometry.group_cols);
  }
  require(local.size() <= static_cast<std::size_t>(device.max_group),
          "the device takes the work-group");
  require(local[0] == 1 && global[0] == static_cast<std::size_t>(call.batch), "a layer an entry");
}

/// The kernel of a call, without and with a name that is forced on it.
const hornbeam::detail::deployed_kernel& check_choice(
    fuzz::input& in, const hornbeam::detail::selection_table& table,
    const checked_call<value>& call) {
  using hornbeam::detail::select_kernel;
  const auto usual = select_kernel(table, call.size(), call.has_product(), nullptr, "fuzz");
  require(usual.kernel < table.kernel_count, "a deployed kernel");
  if (call.has_product()) {
    require(usual.reason >= table.leaves && usual.reason < table.leaves + table.leaf_count,
            "a leaf of the tree");
  } else {
    require(usual.reason == nullptr && usual.kernel == table.kernel_count - 1, "the reference");
  }
  std::string name = in.text();
  const auto known = static_cast<std::size_t>(in.below(8));
  if (known < table.kernel_count) name = table.kernels[known].id;
  try {
    const auto forced = select_kernel(table, call.size(), call.has_product(), &name, "fuzz");
    require(table.kernels[forced.kernel].id == name, "the kernel that was asked for");
  } catch (const hornbeam::invalid_argument& error) {
    require(known >= table.kernel_count, "a deployed kernel can be forced");
    // what() ends at the first NUL.
    require(std::string(error.what()).find('\'' + std::string(name.c_str())) != std::string::npos,
            "the message quotes the name");
  }
  return table.kernels[usual.kernel];
}

void check_accepted(fuzz::input& in, const checked_call<value>& call, const call_oracle& wanted) {
  require(call.empty() || call.extent_c() > 0, "C has elements");
  const auto& target = hornbeam::detail::targets[0];
  for (std::size_t i = 0; i < target.table_count; ++i) {
    if (call.empty()) return;
    const auto& kernel = check_choice(in, target.tables[i], call);
    const hornbeam::detail::device_size device{1 + in.below(2) * in.byte() * 32, 1 + in.byte()};
    for (const auto& piece : check_pieces(call)) {
      check_range(piece, kernel.geometry, device);
      check_range(piece, {1 + in.below(64), 1 + in.below(64), 1 + in.byte(), 1 + in.byte()},
                  device);
      check_range(piece, {1 + in.byte(), 1 + in.byte(), 1, 1, 1 + in.below(64), 1 + in.below(64)},
                  device);
    }
  }
  check_places(call, wanted);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::input in(data, size);
  const auto shape = draw_shape(in);
  const auto options = draw_options(in, shape);
  const call_oracle wanted(shape, options);
  // Operands that are not read may be null.
  const bool unread = (options.alpha == 0 || shape.k == 0) && in.below(2) == 0;
  const value* a = unread ? nullptr : base<const value>(1);
  const value* b = unread ? nullptr : base<const value>(2);
  const bool swapped = options.order == hornbeam::layout::column_major;
  if (swapped) std::swap(a, b);  // so that the row-major call has them in order again
  try {
    const auto call =
        hornbeam::detail::check_call<value>("fuzz", a, b, base<value>(3), shape, options);
    require(wanted.wrong().empty(), "a call that breaks a rule is refused");
    require(call.swapped == swapped, "column-major calls are swapped");
    check_accepted(in, call, wanted);
  } catch (const hornbeam::invalid_argument& error) {
    const std::string message = error.what();
    const auto starts = [&](const std::string& rule) {
      return message.rfind("hornbeam: fuzz: " + rule, 0) == 0;
    };
    require(std::any_of(wanted.wrong().begin(), wanted.wrong().end(), starts),
            "a refused call breaks the rule that the message names");
    require(message.find_first_of("{}") == std::string::npos, "the message is filled in");
  }
  return 0;
}
