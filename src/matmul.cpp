// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include <hornbeam/detail/run_matmul.hpp>
#include <hornbeam/matmul.hpp>

#include "kernel_cache.hpp"
#include "launch.hpp"
#include "target.hpp"

namespace hornbeam {
namespace {

/// The deployed kernels on a queue's device, built from their modules: see run_matmul().
class module_device {
 public:
  explicit module_device(const sycl::queue& queue)
      : kernels_(detail::kernels_for(queue.get_context(), queue.get_device())) {}

  const detail::target& built_for() const { return kernels_.built_for(); }
  bool owns(const void* pointer) const { return kernels_.owns(pointer); }

  template <class T, class Operands>
  sycl::event launch(sycl::queue& queue, const detail::launch_step& step,
                     const detail::checked_call<T>& call, const Operands& operands,
                     const char* function) const {
    return detail::launch(queue, kernels_.get(step.entry, function), step.geometry, step.part,
                          call.arguments, call.batch, operands);
  }

  detail::workspace_pool& workspaces() const { return kernels_.workspaces(); }

  static sycl::event after(sycl::queue& queue, const std::vector<sycl::event>& events) {
    return queue.ext_oneapi_submit_barrier(events);
  }

 private:
  detail::device_kernels& kernels_;
};

}  // namespace

template <class T>
sycl::event matmul(sycl::queue& queue, const T* a, const T* b, T* c, matmul_shape shape,
                   const matmul_options<T>& options, const std::vector<sycl::event>& dependencies) {
  return detail::run_matmul<module_device>(queue, shape, options,
                                           detail::usm_operands<T>(a, b, c, dependencies));
}

template <class T>
sycl::event matmul(sycl::queue& queue, sycl::buffer<T>& a, sycl::buffer<T>& b, sycl::buffer<T>& c,
                   matmul_shape shape, const matmul_options<T>& options) {
  return detail::run_matmul<module_device>(queue, shape, options,
                                           detail::buffer_operands<T>(a, b, c));
}

template <class T>
std::size_t workspace_size(const sycl::queue& queue, matmul_shape shape,
                           const matmul_options<T>& options) {
  return detail::workspace_size_for(detail::target_for(queue.get_device()), shape, options);
}

#define HORNBEAM_INSTANTIATE(T)                                                                \
  template HORNBEAM_API sycl::event matmul(sycl::queue&, const T*, const T*, T*, matmul_shape, \
                                           const matmul_options<T>&,                           \
                                           const std::vector<sycl::event>&);                   \
  template HORNBEAM_API sycl::event matmul(sycl::queue&, sycl::buffer<T>&, sycl::buffer<T>&,   \
                                           sycl::buffer<T>&, matmul_shape,                     \
                                           const matmul_options<T>&);                          \
  template HORNBEAM_API std::size_t workspace_size(const sycl::queue&, matmul_shape,           \
                                                   const matmul_options<T>&);
HORNBEAM_FOR_EACH_ELEMENT_TYPE(HORNBEAM_INSTANTIATE)
#undef HORNBEAM_INSTANTIATE

}  // namespace hornbeam
