// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <hornbeam/matmul.hpp>
#include <optional>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

#if defined(VGG16_HAS_ONEMKL)
#include <oneapi/mkl/blas.hpp>
#endif
#if defined(VGG16_HAS_CLBLAST)
#include "clblast_products.hpp"
#endif

/// A library that multiplies row-major matrices of no batch.
struct backend {
  std::string name;
  std::string kernel;  ///< of hornbeam, if it is forced to one
  /// C[m,n] = A[m,k] * B[k,n] on an in-order queue.
  std::function<void(sycl::queue&, const float* a, const float* b, float* c,
                     const hornbeam::matmul_shape&)>
      multiply;
};

/// hornbeam, with the kernel that it chooses for each size.
inline backend hornbeam_backend() {
  return {"hornbeam", "",
          [](sycl::queue& queue, const float* a, const float* b, float* c,
             const hornbeam::matmul_shape& shape) { hornbeam::matmul(queue, a, b, c, shape); }};
}

/// hornbeam with one kernel for all sizes.
inline backend one_kernel_backend(const std::string& kernel) {
  hornbeam::matmul_options<float> options;
  options.kernel = kernel;
  return {"hornbeam-one", kernel,
          [options](sycl::queue& queue, const float* a, const float* b, float* c,
                    const hornbeam::matmul_shape& shape) {
            hornbeam::matmul(queue, a, b, c, shape, options);
          }};
}

#if defined(VGG16_HAS_ONEMKL)
inline backend onemkl_backend() {
  return {"onemkl", "",
          [](sycl::queue& queue, const float* a, const float* b, float* c,
             const hornbeam::matmul_shape& shape) {
            constexpr auto as_stored = oneapi::mkl::transpose::nontrans;
            oneapi::mkl::blas::row_major::gemm(queue, as_stored, as_stored, shape.m, shape.n,
                                               shape.k, 1.0F, a, shape.k, b, shape.n, 0.0F, c,
                                               shape.n);
          }};
}
#endif

#if defined(VGG16_HAS_CLBLAST)
/// \param parameters see clblast_products; none: those that come with CLBlast
inline backend clblast_backend(const sycl::queue& queue,
                               const std::vector<std::string>& parameters) {
  return {parameters.empty() ? "clblast" : "clblast-tuned", "",
          clblast_products(queue, parameters)};
}
#endif

/// The libraries that were found when the program was built.
inline std::vector<backend> other_backends(
    [[maybe_unused]] const sycl::queue& queue,
    [[maybe_unused]] const std::vector<std::string>& clblast_parameters) {
  return {
#if defined(VGG16_HAS_ONEMKL)
      onemkl_backend(),
#endif
#if defined(VGG16_HAS_CLBLAST)
      clblast_backend(queue, clblast_parameters),
#endif
  };
}
