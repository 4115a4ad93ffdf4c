// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "device_description.hpp"

#include <sys/utsname.h>

#include <cstdlib>
#include <string>
#include <sycl/backend.hpp>

#include "opencl.hpp"

namespace hornbeam::detail {
namespace {

/// Whether the driver knows of sub-groups; a call that it does not have could crash it.
bool has_sub_groups(cl_device_id device) {
  const std::string prefix = "OpenCL ", version = device_text(device, CL_DEVICE_VERSION);
  if (version.compare(0, prefix.size(), prefix) != 0) return false;
  char* end = nullptr;
  const auto major = std::strtoul(version.c_str() + prefix.size(), &end, 10);
  const auto minor = *end == '.' ? std::strtoul(end + 1, nullptr, 10) : 0;
  return major > 2 || (major == 2 && minor >= 1);
}

/// Width of a kernel's vectors, 0 where the driver does not tell.
int vector_width(cl_program program, cl_device_id device, const char* name) {
  const owned<cl_kernel> kernel(clCreateKernel(program, name, nullptr));
  const std::size_t group = naming.probe.group;
  std::size_t width = 0;
  if (!kernel ||
      clGetKernelSubGroupInfo(kernel.get(), device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                              sizeof group, &group, sizeof width, &width, nullptr) != CL_SUCCESS)
    return 0;
  return static_cast<int>(width);
}

/// What the driver generates code for; zeros where it does not tell.
vector_widths generated_widths(const sycl::device& device) {
  if (device.get_backend() != sycl::backend::opencl) return {0, 0};
  const owned<cl_device_id> native(sycl::get_native<sycl::backend::opencl>(device));
  cl_device_id handle = native.get();
  if (!has_sub_groups(handle)) return {0, 0};
  const owned<cl_context> context(clCreateContext(nullptr, 1, &handle, nullptr, nullptr, nullptr));
  if (!context) return {0, 0};
  const char* source = naming.probe.source;
  const owned<cl_program> program(
      clCreateProgramWithSource(context.get(), 1, &source, nullptr, nullptr));
  if (!program || build(program, handle) != CL_SUCCESS) return {0, 0};
  return {vector_width(program.get(), handle, naming.probe.floats),
          vector_width(program.get(), handle, naming.probe.integers)};
}

/// What the driver says of the machine.
vector_widths native_widths(const sycl::device& device) {
  namespace info = sycl::info::device;
  return {static_cast<int>(device.get_info<info::native_vector_width_float>()),
          static_cast<int>(device.get_info<info::native_vector_width_int>())};
}

std::string machine() {
  utsname host{};
  return uname(&host) == 0 ? host.machine : "";
}

}  // namespace

device_properties describe(const sycl::device& device) {
  namespace info = sycl::info::device;
  device_properties found{device.get_info<info::name>(),
                          device.get_info<info::vendor>(),
                          "accelerator",
                          machine(),
                          {},
                          device.get_info<info::max_compute_units>()};
  if (device.is_gpu()) found.type = "gpu";
  if (device.is_cpu()) {
    found.type = "cpu";
    found.widths = {generated_widths(device), native_widths(device)};
  }
  return found;
}

}  // namespace hornbeam::detail
