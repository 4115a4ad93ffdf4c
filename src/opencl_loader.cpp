// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <hornbeam/errors.hpp>
#include <string>
#include <sycl/backend.hpp>
#include <utility>

#include "module_loader.hpp"

namespace hornbeam::detail {
namespace {

/// Frees a program when the kernels made from it, which hold references of their own, are gone.
class program {
 public:
  program(cl_program handle, const sycl::device& device, const char* function)
      : handle_(handle), device_(device), function_(function) {}
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  ~program() { clReleaseProgram(handle_); }

  void build(cl_device_id device) const {
    if (const cl_int error = clBuildProgram(handle_, 1, &device, "", nullptr, nullptr))
      throw device_error(function_, "the driver of '" + name() +
                                        "' failed to build a kernel (OpenCL error " +
                                        std::to_string(error) + "): " + log(device));
  }

  cl_kernel kernel(const std::string& name_in_module) const {
    cl_int error = CL_SUCCESS;
    cl_kernel result = clCreateKernel(handle_, name_in_module.c_str(), &error);
    if (error != CL_SUCCESS)
      throw device_error(function_, "the driver of '" + name() + "' does not find kernel " +
                                        name_in_module + " (OpenCL error " + std::to_string(error) +
                                        ")");
    return result;
  }

 private:
  std::string name() const { return device_.get_info<sycl::info::device::name>(); }

  std::string log(cl_device_id device) const {
    std::size_t size = 0;
    clGetProgramBuildInfo(handle_, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string text(size, '\0');
    clGetProgramBuildInfo(handle_, device, CL_PROGRAM_BUILD_LOG, size, text.data(), nullptr);
    return text.substr(0, text.find('\0'));
  }

  cl_program handle_;
  const sycl::device& device_;
  const char* function_;
};

}  // namespace

ready_kernel load_kernel(const sycl::context& context, const sycl::device& device,
                         const spirv_module& module, const char* function) {
  const auto device_name = device.get_info<sycl::info::device::name>();
  if (device.get_backend() != sycl::backend::opencl)
    throw unsupported_device(function,
                             "device '" + device_name +
                                 "' is not reached through OpenCL, the only back-end built in; "
                                 "select its OpenCL twin (ONEAPI_DEVICE_SELECTOR=opencl:*)");
  const cl_context native_context = sycl::get_native<sycl::backend::opencl>(context);
  const cl_device_id native_device = sycl::get_native<sycl::backend::opencl>(device);

  cl_int error = CL_SUCCESS;
  const cl_program handle =
      clCreateProgramWithIL(native_context, module.bytes, module.size, &error);
  // get_native hands out a reference of its own for each.
  clReleaseContext(native_context);
  if (error != CL_SUCCESS) {
    clReleaseDevice(native_device);
    throw unsupported_device(function, "the OpenCL driver of device '" + device_name +
                                           "' takes no SPIR-V modules (OpenCL error " +
                                           std::to_string(error) + ")");
  }
  const program built(handle, device, function);
  built.build(native_device);
  clReleaseDevice(native_device);
  auto kernel = sycl::make_kernel<sycl::backend::opencl>(
      built.kernel(std::string("__sycl_kernel_") + module.function), context);
  const auto group = kernel.get_info<sycl::info::kernel_device_specific::work_group_size>(device);
  return {std::move(kernel), static_cast<std::int64_t>(group)};
}

}  // namespace hornbeam::detail
