// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Embedded device binaries, as the build-time device compiler writes them.
#pragma once

#include <cstddef>

namespace hornbeam::detail {

/// What the driver of one device made of a module. It saves the driver's compiler on that device
/// and is of no use on any other.
struct native_binary {
  const char* device;           ///< name of the device,
  const char* driver;           ///< version of the driver
  const char* instruction_set;  ///< and processor (empty but for CPUs) that the binary is for
  const unsigned char* bytes;
  std::size_t size;
};

/// SPIR-V with one kernel in it, called "__sycl_kernel_" + function.
struct spirv_module {
  const char* function;
  const unsigned char* bytes;
  std::size_t size;
  const native_binary* native = nullptr;  ///< null where there is none
};

}  // namespace hornbeam::detail
