// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Cuts calls that are too large for one launch.
#pragma once

#include <cstdint>
#include <vector>

#include "call.hpp"

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

/// Calls that together do the same, each of which is one launch. They write different parts of C.
template <class T>
std::vector<checked_call<T>> pieces(const checked_call<T>& call);

}  // namespace hornbeam::detail
