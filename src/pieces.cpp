// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "pieces.hpp"

#include <algorithm>

namespace hornbeam::detail {
namespace {

template <class T>
void move_rows(checked_call<T>& call, std::int64_t rows) {
  auto& x = call.arguments;
  x.a += rows * (call.transpose_a ? 1 : x.lda);
  x.c += rows * x.ldc;
}

template <class T>
void move_columns(checked_call<T>& call, std::int64_t columns) {
  auto& x = call.arguments;
  x.b += columns * (call.transpose_b ? x.ldb : 1);
  x.c += columns;
}

template <class T>
void move_entries(checked_call<T>& call, std::int64_t entries) {
  auto& x = call.arguments;
  x.a += entries * x.stride_a;
  x.b += entries * x.stride_b;
  x.c += entries * x.stride_c;
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

}  // namespace

template <class T>
std::vector<checked_call<T>> pieces(const checked_call<T>& call) {
  using one = checked_call<T>;
  std::vector<one> calls{call};
  calls = cut(calls, [](one& x) -> std::int64_t& { return x.arguments.m; }, move_rows<T>);
  calls = cut(calls, [](one& x) -> std::int64_t& { return x.arguments.n; }, move_columns<T>);
  return cut(calls, [](one& x) -> std::int64_t& { return x.batch; }, move_entries<T>);
}

template std::vector<checked_call<float>> pieces(const checked_call<float>&);
template std::vector<checked_call<double>> pieces(const checked_call<double>&);

}  // namespace hornbeam::detail
