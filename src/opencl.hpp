// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// OpenCL handles that free themselves, and what the library and the device compiler must do alike.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <memory>
#include <string>
#include <type_traits>

namespace hornbeam::detail {

struct release {
  void operator()(cl_context handle) const { clReleaseContext(handle); }
  void operator()(cl_device_id handle) const { clReleaseDevice(handle); }
  void operator()(cl_program handle) const { clReleaseProgram(handle); }
  void operator()(cl_kernel handle) const { clReleaseKernel(handle); }
};

/// A handle with one reference to what it names.
template <class Handle>
using owned = std::unique_ptr<std::remove_pointer_t<Handle>, release>;

/// Builds a program with the driver's default options.
/// \returns the driver's error code.
inline cl_int build(const owned<cl_program>& program, cl_device_id device) {
  return clBuildProgram(program.get(), 1, &device, "", nullptr, nullptr);
}

/// A property of a device that is text, without blanks around it; empty where the driver has none.
inline std::string device_text(cl_device_id device, cl_device_info property) {
  std::size_t size = 0;
  if (clGetDeviceInfo(device, property, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::string text(size, '\0');
  clGetDeviceInfo(device, property, size, text.data(), nullptr);
  text.resize(text.find_last_not_of(std::string("\0 ", 2)) + 1);
  return text.erase(0, text.find_first_not_of(' '));
}

/// Whether the device's driver takes SPIR-V modules.
inline bool takes_spirv(cl_device_id device) {
  return device_text(device, CL_DEVICE_IL_VERSION).find("SPIR-V") != std::string::npos;
}

}  // namespace hornbeam::detail
