// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a checked call to the kernel that runs it. Pure functions of size and options.
#pragma once

#include <cstddef>
#include <string>

#include "call.hpp"
#include "deployment.hpp"

namespace hornbeam::detail {

/// A deployed kernel and the leaf of the tree that named it; no leaf where there was no choice.
struct choice {
  std::size_t kernel;  ///< index into selection_table::kernels
  const leaf* reason;
};

/// What was deployed for an element type.
/// \throws unimplemented naming the types that were built.
const selection_table& table_for(const target& device, const char* data_type, const char* function);

/// The kernel for a call.
/// \param has_product whether there is anything to multiply; scaling C needs no tuned kernel.
/// \param forced id of the kernel to use, or null.
/// \throws invalid_argument if forced names no deployed kernel.
choice select_kernel(const selection_table& table, const problem_size& size, bool has_product,
                     const std::string* forced, const char* function);

}  // namespace hornbeam::detail
