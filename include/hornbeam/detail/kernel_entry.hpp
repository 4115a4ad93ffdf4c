// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// kernel_entry: what the tables hold for a kernel, from which the toolchain that hornbeam is built
/// for launches it.
#pragma once

#if !defined(HORNBEAM_SINGLE_SOURCE)
#include <hornbeam/detail/spirv_module.hpp>
#endif

namespace hornbeam::detail {

#if defined(HORNBEAM_SINGLE_SOURCE)
/// A kernel that is compiled with the program; its address tells it from others.
struct kernel_entry {
  const char* function;
};
#else
using kernel_entry = spirv_module;
#endif

}  // namespace hornbeam::detail
