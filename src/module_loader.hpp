// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The border to the back-end that turns embedded modules into kernels. One implementation today:
/// OpenCL. Another back-end (Level Zero) adds its own load_kernel.
#pragma once

#include <cstdint>
#include <hornbeam/detail/launch_range.hpp>
#include <hornbeam/detail/spirv_module.hpp>
#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/kernel.hpp>

namespace hornbeam::detail {

/// A kernel as the driver built it, and what counts of the device for launching it.
struct ready_kernel {
  sycl::kernel kernel;
  device_size device;
  bool from_native = false;  ///< from the module's native binary, not compiled from its SPIR-V
};

/// Loads the module's native binary where that is for this device and driver, in milliseconds; else
/// compiles its SPIR-V, which takes a tenth of a second to seconds.
/// \param function of the public interface, for messages.
/// \throws unsupported_device if the device's driver takes no SPIR-V or is not an OpenCL driver;
///   device_error with the driver's log if it fails to build the module.
ready_kernel load_kernel(const sycl::context& context, const sycl::device& device,
                         const spirv_module& module, const char* function);

}  // namespace hornbeam::detail
