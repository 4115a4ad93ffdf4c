// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <clblast.h>

#include <cstdint>
#include <hornbeam/matmul.hpp>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sycl/sycl.hpp>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

/// CLBlast on USM pointers. It takes OpenCL's buffers alone: each array becomes one that lies in
/// the same memory, which only devices that share the host's memory can do.
class clblast_products {
 public:
  /// \param parameters for the queue's device in place of CLBlast's own, each as
  /// KERNEL:NAME=VALUE,...
  clblast_products(const sycl::queue& queue, const std::vector<std::string>& parameters) {
    for (const std::string& text : parameters) {
      override_parameters(queue.get_device(), text);
    }
  }

  void operator()(sycl::queue& queue, const float* a, const float* b, float* c,
                  const hornbeam::matmul_shape& shape) const {
    const auto m = static_cast<std::size_t>(shape.m);
    const auto n = static_cast<std::size_t>(shape.n);
    const auto k = static_cast<std::size_t>(shape.k);
    auto* native = sycl::get_native<sycl::backend::opencl>(queue);
    cl_event done = nullptr;
    queue.wait_and_throw();
    const auto status =
        clblast::Gemm(clblast::Layout::kRowMajor, clblast::Transpose::kNo, clblast::Transpose::kNo,
                      m, n, k, 1.0F, buffer(queue, a, m * k), 0, k, buffer(queue, b, k * n), 0, n,
                      0.0F, buffer(queue, c, m * n), 0, n, &native, &done);
    clReleaseCommandQueue(native);
    check(status);
    clWaitForEvents(1, &done);
    clReleaseEvent(done);
  }

 private:
  struct release {
    void operator()(cl_mem memory) const { clReleaseMemObject(memory); }
  };
  using owned_buffer = std::unique_ptr<std::remove_pointer_t<cl_mem>, release>;
  using buffers = std::map<std::pair<const float*, std::size_t>, owned_buffer>;

  static void check(clblast::StatusCode status) {
    if (status != clblast::StatusCode::kSuccess) {
      throw std::runtime_error("CLBlast: status " + std::to_string(static_cast<int>(status)));
    }
  }

  static void override_parameters(const sycl::device& device, const std::string& text) {
    std::istringstream words(text);
    std::string kernel, name, value;
    std::getline(words, kernel, ':');
    std::unordered_map<std::string, std::size_t> values;
    while (std::getline(words, name, '=') && std::getline(words, value, ',')) {
      values[name] = std::stoul(value);
    }
    auto* native = sycl::get_native<sycl::backend::opencl>(device);
    const auto status =
        clblast::OverrideParameters(native, kernel, clblast::Precision::kSingle, values);
    clReleaseDevice(native);
    check(status);
  }

  cl_mem buffer(const sycl::queue& queue, const float* data, std::size_t size) const {
    auto& found = (*buffers_)[{data, size}];
    if (found == nullptr) {
      if (!queue.get_device().is_cpu()) {
        throw std::runtime_error("CLBlast: the device is not a CPU");
      }
      auto* context = sycl::get_native<sycl::backend::opencl>(queue.get_context());
      cl_int error = CL_SUCCESS;
      found.reset(clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                 size * sizeof(float), const_cast<float*>(data), &error));
      clReleaseContext(context);
      if (error != CL_SUCCESS) {
        throw std::runtime_error("clCreateBuffer: error " + std::to_string(error));
      }
    }
    return found.get();
  }

  std::shared_ptr<buffers> buffers_ = std::make_shared<buffers>();
};
