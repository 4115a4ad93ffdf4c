// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
//
// Multiplies two small matrices with the installed library and checks the result.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <hornbeam/matmul.hpp>
#include <sycl/sycl.hpp>

int main() {
  try {
    sycl::queue queue;
    constexpr hornbeam::matmul_shape shape{3, 5, 2};
    auto* a = sycl::malloc_shared<float>(shape.m * shape.k, queue);
    auto* b = sycl::malloc_shared<float>(shape.k * shape.n, queue);
    auto* c = sycl::malloc_shared<float>(shape.m * shape.n, queue);
    for (int i = 0; i < shape.m * shape.k; ++i) {
      a[i] = static_cast<float>(i + 1);
    }
    for (int i = 0; i < shape.k * shape.n; ++i) {
      b[i] = static_cast<float>(i - 3);
    }
    hornbeam::matmul(queue, a, b, c, shape).wait_and_throw();

    bool right = true;
    for (std::int64_t i = 0; i < shape.m; ++i) {
      for (std::int64_t j = 0; j < shape.n; ++j) {
        right = right && c[i * shape.n + j] == a[i * 2] * b[j] + a[i * 2 + 1] * b[shape.n + j];
      }
    }
    const auto why = hornbeam::explain<float>(queue.get_device(), shape);
    std::printf("hornbeam %s: kernel %s, dataset %s (%s match): %s\n",
                hornbeam::build_info().version.c_str(), why.kernel.c_str(), why.dataset_key.c_str(),
                why.match.c_str(), right ? "right" : "WRONG");
    for (float* data : {a, b, c}) {
      sycl::free(data, queue);
    }
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "test_package: %s\n", error.what());
    return 1;
  }
}
