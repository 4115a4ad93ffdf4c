// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Cuts calls that are too large for one launch.
#pragma once

#include <cstdint>
#include <hornbeam/detail/checked_call.hpp>
#include <vector>

namespace hornbeam::detail {

/// Largest m, n and batch of one launch. The device compiler assumes that the index of a work-item
/// fits an int; without that assumption the CPU driver does not vectorise, at a fifth of the speed
/// or less.
constexpr std::int64_t largest_launch = std::int64_t{1} << 30;

/// Whether one launch suffices: the case of every call that is not measured in tens of gigabytes.
template <class T>
bool is_one_launch(const checked_call<T>& call) {
  return call.arguments.m <= largest_launch && call.arguments.n <= largest_launch &&
         call.batch <= largest_launch;
}

/// Moves an operand; one that is not read may be null, and stays so.
template <class P>
void advance(P*& pointer, std::int64_t elements) {
  if (pointer != nullptr) pointer += elements;
}

/// Cuts each call along one dimension.
/// \param size gives the call's size along it, \param move advances a call's operands along it.
template <class T, class Size, class Move>
std::vector<checked_call<T>> cut(const std::vector<checked_call<T>>& calls, Size size, Move move) {
  std::vector<checked_call<T>> result;
  for (auto rest : calls) {
    while (size(rest) > largest_launch) {
      result.push_back(rest);
      size(result.back()) = largest_launch;
      size(rest) -= largest_launch;
      move(rest, largest_launch);
    }
    result.push_back(rest);
  }
  return result;
}

/// Calls that together do the same, each of which is one launch. They write different parts of C.
template <class T>
std::vector<checked_call<T>> pieces(const checked_call<T>& call) {
  using one = checked_call<T>;
  std::vector<one> calls{call};
  calls = cut(
      calls, [](one& part) -> std::int64_t& { return part.arguments.m; },
      [](one& part, std::int64_t rows) {
        auto& x = part.arguments;
        advance(x.a, rows * (part.transpose_a ? 1 : x.lda));
        advance(x.c, rows * x.ldc);
      });
  calls = cut(
      calls, [](one& part) -> std::int64_t& { return part.arguments.n; },
      [](one& part, std::int64_t columns) {
        auto& x = part.arguments;
        advance(x.b, columns * (part.transpose_b ? x.ldb : 1));
        advance(x.c, columns);
      });
  return cut(
      calls, [](one& part) -> std::int64_t& { return part.batch; },
      [](one& part, std::int64_t entries) {
        auto& x = part.arguments;
        advance(x.a, entries * x.stride_a);
        advance(x.b, entries * x.stride_b);
        advance(x.c, entries * x.stride_c);
      });
}

}  // namespace hornbeam::detail
