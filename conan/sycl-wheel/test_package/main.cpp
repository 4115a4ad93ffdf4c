// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
//
// Compiles a kernel with the runtime compiler and runs it: needs every part of the package.
#include <cstdio>
#include <exception>
#include <sycl/sycl.hpp>

namespace experimental = sycl::ext::oneapi::experimental;

namespace {

constexpr const char* source = R"(
#include <sycl/sycl.hpp>
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>))
void square_roots(float* out) {
  const auto i = sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_linear_id();
  out[i] = sycl::sqrt(static_cast<float>(i));
}
)";

}  // namespace

int main() {
  try {
    sycl::queue queue{sycl::cpu_selector_v};
    auto text = experimental::create_kernel_bundle_from_source(
        queue.get_context(), experimental::source_language::sycl, source);
    const auto kernel = experimental::build(text).ext_oneapi_get_kernel("square_roots");
    constexpr std::size_t size = 64;
    auto* out = sycl::malloc_shared<float>(size, queue);
    queue
        .submit([&](sycl::handler& handler) {
          handler.set_args(out);
          handler.parallel_for(sycl::nd_range<1>{size, 16}, kernel);
        })
        .wait_and_throw();
    const bool right = out[4] == 2.0F && out[49] == 7.0F;
    sycl::free(out, queue);
    std::printf("%s: %s\n", queue.get_device().get_info<sycl::info::device::name>().c_str(),
                right ? "right" : "WRONG");
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "test_package: %s\n", error.what());
    return 1;
  }
}
