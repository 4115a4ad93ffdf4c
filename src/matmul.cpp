// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include <hornbeam/detail/data_type.hpp>
#include <hornbeam/detail/select.hpp>
#include <hornbeam/matmul.hpp>

#include "operands.hpp"

namespace hornbeam {
namespace {

constexpr const char* function = "matmul";

template <class T, class Operands>
sycl::event run(sycl::queue& queue, const matmul_shape& shape, const matmul_options<T>& options,
                const Operands& operands) {
  auto call = operands.check(function, shape, options);
  const auto device = queue.get_device();
  detail::data_type<T>::require(device, function);
  auto& ready = detail::kernels_for(queue.get_context(), device);
  const auto& table = detail::table_for(ready.built_for(), detail::data_type<T>::name, function);
  const std::string* forced = options.kernel ? &*options.kernel : nullptr;
  const auto choice =
      detail::select_kernel(table, call.size(), call.has_product(), forced, function);
  if (call.empty()) return operands.nothing_to_do(queue);
  operands.check(function, call, ready);

  if (!call.has_product()) {  // whatever alpha is, infinite included, it scales nothing
    call.arguments.k = 0;
    call.arguments.alpha = T{0};
  }
  const auto& kernel = table.kernels[choice.kernel];
  const auto& compiled = ready.get(*kernel.entries[call.transposes()], function);
  return operands.launch(queue, compiled,
                         {kernel.tile_rows, kernel.tile_cols, kernel.group_rows, kernel.group_cols},
                         call);
}

}  // namespace

template <class T>
sycl::event matmul(sycl::queue& queue, const T* a, const T* b, T* c, matmul_shape shape,
                   const matmul_options<T>& options, const std::vector<sycl::event>& dependencies) {
  return run(queue, shape, options, detail::usm_operands<T>(a, b, c, dependencies));
}

template <class T>
sycl::event matmul(sycl::queue& queue, sycl::buffer<T>& a, sycl::buffer<T>& b, sycl::buffer<T>& c,
                   matmul_shape shape, const matmul_options<T>& options) {
  return run(queue, shape, options, detail::buffer_operands<T>(a, b, c));
}

#define HORNBEAM_INSTANTIATE(T)                                                                   \
  template sycl::event matmul(sycl::queue&, const T*, const T*, T*, matmul_shape,                 \
                              const matmul_options<T>&, const std::vector<sycl::event>&);         \
  template sycl::event matmul(sycl::queue&, sycl::buffer<T>&, sycl::buffer<T>&, sycl::buffer<T>&, \
                              matmul_shape, const matmul_options<T>&);
HORNBEAM_FOR_EACH_ELEMENT_TYPE(HORNBEAM_INSTANTIATE)
#undef HORNBEAM_INSTANTIATE

}  // namespace hornbeam
