// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compiled kernels as C++ source.
#pragma once

#include <ostream>
#include <vector>

#include "../build_target.hpp"
#include "compiler.hpp"

namespace hornbeam::device_compiler {

/// Writes a definition of a spirv_module for each function, by the function's name.
/// \param native what the native binaries of the kernels are for; null where they have none.
void embed(std::ostream& out, const std::vector<compiled_kernel>& kernels,
           const detail::build_target* native);

}  // namespace hornbeam::device_compiler
