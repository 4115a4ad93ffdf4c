// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// An embedded device binary, as the build-time device compiler writes it.
#pragma once

#include <cstddef>

namespace hornbeam::detail {

/// SPIR-V with one kernel in it, called "__sycl_kernel_" + function.
struct spirv_module {
  const char* function;
  const unsigned char* bytes;
  std::size_t size;
};

}  // namespace hornbeam::detail
