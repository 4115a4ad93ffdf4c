// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "usm_lookup.hpp"

#include <sycl/backend.hpp>
#include <sycl/device.hpp>
#include <sycl/usm.hpp>
#include <type_traits>

#include "opencl.hpp"

namespace hornbeam::detail {

usm_lookup::usm_lookup(const sycl::context& context) : context_(context) {
  static_assert(std::is_same_v<cl_int, int> && std::is_same_v<cl_mem_info_intel, unsigned>);
  if (context.get_backend() != sycl::backend::opencl) return;
  const owned<cl_context> native(sycl::get_native<sycl::backend::opencl>(context));
  native_context_ = native.get();  // which context_ keeps alive
  const cl_platform_id platform =
      sycl::get_native<sycl::backend::opencl>(context.get_devices().front().get_platform());
  query_ = reinterpret_cast<query>(
      clGetExtensionFunctionAddressForPlatform(platform, "clGetMemAllocInfoINTEL"));
}

bool usm_lookup::owns(const void* pointer) const {
  if (query_ == nullptr)
    return sycl::get_pointer_type(pointer, context_) != sycl::usm::alloc::unknown;
  cl_unified_shared_memory_type_intel type = CL_MEM_TYPE_UNKNOWN_INTEL;
  const cl_int error =
      query_(native_context_, pointer, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, nullptr);
  return error == CL_SUCCESS && type != CL_MEM_TYPE_UNKNOWN_INTEL;
}

}  // namespace hornbeam::detail
