// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// kernel_entry: what the toolchain that hornbeam is built for launches a kernel by.
#pragma once

#if defined(HORNBEAM_SINGLE_SOURCE)
#include <hornbeam/detail/single_source_kernel.hpp>
namespace hornbeam::detail {
using kernel_entry = single_source_kernel;
}
#else
#include <hornbeam/detail/spirv_module.hpp>
namespace hornbeam::detail {
using kernel_entry = spirv_module;
}
#endif
