// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include <hornbeam/matmul.hpp>

#include "call.hpp"
#include "data_types.hpp"
#include "kernel_cache.hpp"
#include "launch.hpp"
#include "pieces.hpp"
#include "select.hpp"

namespace hornbeam {
namespace {

constexpr const char* function = "matmul";

/// An event for a call that starts nothing: complete, or complete when its dependencies are.
sycl::event nothing_to_do(sycl::queue& queue, const std::vector<sycl::event>& dependencies) {
  if (dependencies.empty()) return {};
  if (dependencies.size() == 1) return dependencies.front();
  return queue.ext_oneapi_submit_barrier(dependencies);
}

void check_pointer(const char* name, const void* pointer, const detail::device_kernels& ready) {
  if (pointer == nullptr)
    throw invalid_argument(function,
                           std::string(name) + " is null, must point to a non-empty matrix");
  if (!ready.owns(pointer))
    throw invalid_argument(function,
                           std::string(name) +
                               " is not a USM pointer of the queue's context, must come from "
                               "sycl::malloc_device, malloc_shared or malloc_host on it");
}

/// The pointers of the caller, by the caller's names; not those of the row-major call.
template <class T>
void check_pointers(const T* a, const T* b, const T* c, bool has_product,
                    const detail::device_kernels& ready) {
  if (has_product) {
    check_pointer("a", a, ready);
    check_pointer("b", b, ready);
  }
  check_pointer("c", c, ready);
}

}  // namespace

template <class T>
sycl::event matmul(sycl::queue& queue, const T* a, const T* b, T* c, matmul_shape shape,
                   const matmul_options<T>& options, const std::vector<sycl::event>& dependencies) {
  auto call = detail::check_call(function, a, b, c, shape, options);
  const auto device = queue.get_device();
  detail::data_type<T>::require(device, function);
  auto& ready = detail::kernels_for(queue.get_context(), device);
  const auto& table = detail::table_for(ready.built_for(), detail::data_type<T>::name, function);
  const std::string* forced = options.kernel ? &*options.kernel : nullptr;
  const auto choice =
      detail::select_kernel(table, call.size(), call.has_product(), forced, function);
  if (call.empty()) return nothing_to_do(queue, dependencies);
  check_pointers(a, b, c, call.has_product(), ready);

  if (!call.has_product()) {  // whatever alpha is, infinite included, it scales nothing
    call.arguments.k = 0;
    call.arguments.alpha = T{0};
  }
  const auto& kernel = table.kernels[choice.kernel];
  const auto& compiled = ready.get(*kernel.modules[call.transposes()], function);
  const auto launch = [&](const detail::checked_call<T>& piece) {
    return detail::launch(
        queue, compiled, {kernel.tile_rows, kernel.tile_cols, kernel.group_rows, kernel.group_cols},
        piece.arguments, piece.batch, dependencies);
  };
  if (detail::is_one_launch(call)) return launch(call);
  std::vector<sycl::event> parts;
  for (const auto& piece : detail::pieces(call)) parts.push_back(launch(piece));
  return queue.ext_oneapi_submit_barrier(parts);
}

template sycl::event matmul(sycl::queue&, const float*, const float*, float*, matmul_shape,
                            const matmul_options<float>&, const std::vector<sycl::event>&);
template sycl::event matmul(sycl::queue&, const double*, const double*, double*, matmul_shape,
                            const matmul_options<double>&, const std::vector<sycl::event>&);

}  // namespace hornbeam
