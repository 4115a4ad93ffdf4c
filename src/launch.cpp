// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include <hornbeam/detail/element_types.hpp>
#include <sycl/accessor.hpp>
#include <sycl/handler.hpp>

namespace hornbeam::detail {
namespace {

template <class T, class A, class B, class C>
void set_arguments(sycl::handler& handler, const launch_geometry& geometry,
                   const kernel::k_slices& part, const kernel::matmul_arguments<T>& x, const A& a,
                   const B& b, const C& c) {
  const auto set = [&](const auto&... more) {
    handler.set_args(a, b, c, x.m, x.n, x.k, x.lda, x.ldb, x.ldc, x.stride_a, x.stride_b,
                     x.stride_c, x.alpha, x.beta, more...);
  };
  if (geometry.slices == 0)
    set();
  else
    set(part.sums, part.count, part.step);
}

}  // namespace

template <class T>
sycl::event launch(sycl::queue& queue, const ready_kernel& kernel, const launch_geometry& geometry,
                   const kernel::k_slices& part, const kernel::matmul_arguments<T>& x,
                   std::int64_t batch, const std::vector<sycl::event>& dependencies) {
  const auto range =
      launch_range(geometry, kernel.device, {x.m, x.n, x.k, launched_entries(part, batch)});
  return queue.submit([&](sycl::handler& handler) {
    handler.depends_on(dependencies);
    set_arguments(handler, geometry, part, x, x.a, x.b, x.c);
    handler.parallel_for(range, kernel.kernel);
  });
}

template <class T>
sycl::event launch(sycl::queue& queue, const ready_kernel& kernel, const launch_geometry& geometry,
                   const kernel::k_slices& part, const kernel::matmul_arguments<T>& x,
                   std::int64_t batch, const operand_buffers<T>& buffers) {
  const auto range =
      launch_range(geometry, kernel.device, {x.m, x.n, x.k, launched_entries(part, batch)});
  return queue.submit([&](sycl::handler& handler) {
    handler.depends_on(buffers.after);
    const sycl::accessor c(*buffers.c, handler, sycl::read_write);
    if (buffers.a == nullptr) {
      const T* const none = nullptr;
      set_arguments(handler, geometry, part, x, none, none, c);
    } else {
      const sycl::accessor a(*buffers.a, handler, sycl::read_only);
      const sycl::accessor b(*buffers.b, handler, sycl::read_only);
      set_arguments(handler, geometry, part, x, a, b, c);
    }
    handler.parallel_for(range, kernel.kernel);
  });
}

#define HORNBEAM_INSTANTIATE(T)                                                            \
  template sycl::event launch(sycl::queue&, const ready_kernel&, const launch_geometry&,   \
                              const kernel::k_slices&, const kernel::matmul_arguments<T>&, \
                              std::int64_t, const std::vector<sycl::event>&);              \
  template sycl::event launch(sycl::queue&, const ready_kernel&, const launch_geometry&,   \
                              const kernel::k_slices&, const kernel::matmul_arguments<T>&, \
                              std::int64_t, const operand_buffers<T>&);
HORNBEAM_FOR_EACH_ELEMENT_TYPE(HORNBEAM_INSTANTIATE)
#undef HORNBEAM_INSTANTIATE

}  // namespace hornbeam::detail
