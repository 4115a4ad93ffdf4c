// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// CLBlast's gemm, and its strided batch, through the OpenCL driver that is under SYCL too.
///
/// Each argument replaces the parameters of one of its kernels: Xgemm:MWG=64,NWG=64,...
#define CL_TARGET_OPENCL_VERSION 120
#include <clblast_c.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <sycl/sycl.hpp>
#include <vector>

#include "worker.hpp"

namespace hornbeam::peers {
namespace {

void check(int status, const char* what) {
  if (status != 0)
    throw std::runtime_error(std::string(what) + ": status " + std::to_string(status));
}

CLBlastTranspose op(bool transposed) {
  return transposed ? CLBlastTransposeYes : CLBlastTransposeNo;
}

/// An OpenCL buffer.
class buffer {
 public:
  buffer() = default;
  buffer(cl_context context, const float* data, std::size_t count) {
    int status = 0;
    data_ = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof(float),
                           const_cast<float*>(data), &status);
    check(status, "clCreateBuffer");
  }
  buffer(buffer&& other) noexcept { std::swap(data_, other.data_); }
  buffer& operator=(buffer&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~buffer() {
    if (data_ != nullptr) clReleaseMemObject(data_);
  }

  cl_mem get() const { return data_; }

 private:
  cl_mem data_ = nullptr;
};

class clblast : public peer {
 public:
  clblast()
      : queue_{sycl::default_selector_v, sycl::property::queue::in_order()},
        context_(sycl::get_native<sycl::backend::opencl>(queue_.get_context())),
        device_(sycl::get_native<sycl::backend::opencl>(queue_.get_device())),
        native_(sycl::get_native<sycl::backend::opencl>(queue_)) {}

  json::object ready() const {
    const auto device = queue_.get_device();
    return json::object()
        .field("device", device.get_info<sycl::info::device::name>())
        .field("driver", device.get_info<sycl::info::device::driver_version>());
  }

  /// \param text as in the arguments of the program
  void override_parameters(const std::string& text) {
    const auto colon = text.find(':');
    const std::string kernel = text.substr(0, colon);
    std::istringstream words(text.substr(colon + 1));
    std::vector<std::string> names;
    std::vector<std::size_t> values;
    for (std::string word; std::getline(words, word, ',');) {
      const auto equals = word.find('=');
      names.push_back(word.substr(0, equals));
      values.push_back(std::stoul(word.substr(equals + 1)));
    }
    std::vector<const char*> pointers;
    for (const auto& name : names) pointers.push_back(name.c_str());
    check(CLBlastOverrideParameters(device_, kernel.c_str(), CLBlastPrecisionSingle, names.size(),
                                    pointers.data(), values.data()),
          text.c_str());
  }

  void load(const problem& x, const float* a, const float* b) override {
    x_ = x;
    for (buffer* operand : {&a_, &b_, &c_}) *operand = buffer();
    const std::vector<float> nothing(x.c_count(), std::numeric_limits<float>::quiet_NaN());
    a_ = buffer(context_, a, x.a_count());
    b_ = buffer(context_, b, x.b_count());
    c_ = buffer(context_, nothing.data(), x.c_count());
  }

  void multiply() override {
    const auto& x = x_;
    const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
    const auto m = size(x.m), n = size(x.n), k = size(x.k);
    const auto lda = size(x.lda()), ldb = size(x.ldb());
    const auto ta = op(x.transpose_a), tb = op(x.transpose_b);
    cl_event done = nullptr;
    if (x.batch == 1)
      check(CLBlastSgemm(CLBlastLayoutRowMajor, ta, tb, m, n, k, 1.0F, a_.get(), 0, lda, b_.get(),
                         0, ldb, 0.0F, c_.get(), 0, n, &native_, &done),
            "CLBlastSgemm");
    else
      check(CLBlastSgemmStridedBatched(CLBlastLayoutRowMajor, ta, tb, m, n, k, 1.0F, a_.get(), 0,
                                       lda, m * k, b_.get(), 0, ldb, k * n, 0.0F, c_.get(), 0, n,
                                       m * n, size(x.batch), &native_, &done),
            "CLBlastSgemmStridedBatched");
    check(clWaitForEvents(1, &done), "clWaitForEvents");
    clReleaseEvent(done);
  }

  void read_result(float* c) override {
    check(clEnqueueReadBuffer(native_, c_.get(), CL_TRUE, 0, x_.c_count() * sizeof(float), c, 0,
                              nullptr, nullptr),
          "clEnqueueReadBuffer");
  }

 private:
  sycl::queue queue_;
  cl_context context_;
  cl_device_id device_;
  cl_command_queue native_;
  problem x_{};
  buffer a_, b_, c_;
};

}  // namespace
}  // namespace hornbeam::peers

int main(int count, char** arguments) {
  return hornbeam::peers::run([&] {
    hornbeam::peers::clblast library;
    for (int i = 1; i < count; ++i) library.override_parameters(arguments[i]);
    hornbeam::peers::serve(library, library.ready());
  });
}
