// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include <hornbeam/detail/failures.hpp>
#include <string>
#include <sycl/backend.hpp>
#include <utility>

#include "build_target.hpp"
#include "module_loader.hpp"
#include "opencl.hpp"

namespace hornbeam::detail {
namespace {

/// A kernel and its program, which has to be there when SYCL takes the kernel over.
struct loaded_kernel {
  owned<cl_program> program;
  owned<cl_kernel> kernel;
};

/// Loads one kernel for one device of one context.
class loader {
 public:
  loader(const sycl::context& context, const sycl::device& device, const char* function)
      : context_(sycl::get_native<sycl::backend::opencl>(context)),
        device_(sycl::get_native<sycl::backend::opencl>(device)),
        function_(function) {}

  /// The kernel from the binary that the driver made at build time; none where that was another
  /// device or driver, or where the driver refuses it: as it does if it is set to generate for an
  /// older processor than it was then.
  loaded_kernel from_native(const native_binary& native, const std::string& name) const {
    const auto here = build_target_of(device_.get());
    if (here.device != native.device || here.driver != native.driver ||
        here.instruction_set != native.instruction_set)
      return {};
    cl_device_id device = device_.get();
    const unsigned char* bytes = native.bytes;
    cl_int error = CL_SUCCESS;
    owned<cl_program> program(clCreateProgramWithBinary(context_.get(), 1, &device, &native.size,
                                                        &bytes, nullptr, &error));
    if (error != CL_SUCCESS || build(program, device) != CL_SUCCESS) return {};
    owned<cl_kernel> kernel(clCreateKernel(program.get(), name.c_str(), &error));
    return {std::move(program), std::move(kernel)};
  }

  /// \throws unsupported_device, device_error
  loaded_kernel from_spirv(const spirv_module& module, const std::string& name) const {
    cl_int error = CL_SUCCESS;
    owned<cl_program> program(
        clCreateProgramWithIL(context_.get(), module.bytes, module.size, &error));
    if (error != CL_SUCCESS) fail(failures::no_spirv, error);
    error = build(program, device_.get());
    if (error != CL_SUCCESS) fail(failures::build_failed, error, {"log", log(program)});
    owned<cl_kernel> kernel(clCreateKernel(program.get(), name.c_str(), &error));
    if (error != CL_SUCCESS) fail(failures::kernel_not_found, error, {"kernel", name});
    return {std::move(program), std::move(kernel)};
  }

 private:
  [[noreturn]] void fail(const failure& kind, cl_int error,
                         const std::pair<const char*, std::string>& more = {"", ""}) const {
    detail::fail(function_, kind,
                 {{"device", device_text(device_.get(), CL_DEVICE_NAME)},
                  {"error", std::to_string(error)},
                  more});
  }

  std::string log(const owned<cl_program>& program) const {
    const auto get = [&](std::size_t size, char* text, std::size_t* needed) {
      clGetProgramBuildInfo(program.get(), device_.get(), CL_PROGRAM_BUILD_LOG, size, text, needed);
    };
    std::size_t size = 0;
    get(0, nullptr, &size);
    std::string text(size, '\0');
    get(size, text.data(), nullptr);
    return text.substr(0, text.find('\0'));
  }

  owned<cl_context> context_;   // get_native hands out a reference of its own,
  owned<cl_device_id> device_;  // for both
  const char* function_;
};

}  // namespace

ready_kernel load_kernel(const sycl::context& context, const sycl::device& device,
                         const spirv_module& module, const char* function) {
  if (device.get_backend() != sycl::backend::opencl)
    fail(function, failures::other_backend,
         {{"device", device.get_info<sycl::info::device::name>()}});
  const loader load(context, device, function);
  const auto name = std::string("__sycl_kernel_") + module.function;
  loaded_kernel loaded;
  if (module.native != nullptr) loaded = load.from_native(*module.native, name);
  const bool from_native = loaded.kernel != nullptr;
  if (!from_native) loaded = load.from_spirv(module, name);
  auto kernel = sycl::make_kernel<sycl::backend::opencl>(loaded.kernel.get(), context);
  const auto group = kernel.get_info<sycl::info::kernel_device_specific::work_group_size>(device);
  const auto units = device.get_info<sycl::info::device::max_compute_units>();
  return {std::move(kernel), {static_cast<std::int64_t>(group), units}, from_native};
}

}  // namespace hornbeam::detail
