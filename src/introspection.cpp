// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <hornbeam/detail/describe.hpp>
#include <hornbeam/detail/element_types.hpp>
#include <iterator>
#include <sycl/context.hpp>
#include <thread>

#include "kernel_cache.hpp"
#include "target.hpp"

namespace hornbeam {
namespace {

/// Calls body(0) to body(count - 1) from as many threads as there are processors.
/// \throws what body throws, once no call is under way any more.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) body(i);
  };
  const std::size_t threads = std::min<std::size_t>(count, std::thread::hardware_concurrency());
  std::vector<std::future<void>> helpers;
  for (std::size_t i = 1; i < threads; ++i) helpers.push_back(std::async(std::launch::async, work));
  work();
  for (auto& helper : helpers) helper.get();
}

}  // namespace

template <class T>
std::vector<std::string> kernels(const sycl::device& device) {
  return detail::kernel_ids(
      detail::table_for(detail::target_for(device), detail::data_type<T>::name, "kernels"));
}

template <class T>
explanation explain(const sycl::device& device, matmul_shape shape,
                    const matmul_options<T>& options) {
  const auto& known = detail::served(device);
  return detail::explain_for(*known.chosen, known.match, known.key, shape, options);
}

template <class T>
void prepare(sycl::queue& queue) {
  constexpr const char* function = "prepare";
  const auto device = queue.get_device();
  detail::data_type<T>::require(device, function);
  auto& ready = detail::kernels_for(queue.get_context(), device);
  const auto& table = detail::table_for(ready.built_for(), detail::data_type<T>::name, function);
  std::vector<const detail::spirv_module*> modules;
  for (std::size_t i = 0; i < table.kernel_count; ++i)
    modules.insert(modules.end(), std::begin(table.kernels[i].entries),
                   std::end(table.kernels[i].entries));
  in_parallel(modules.size(), [&](std::size_t i) { ready.get(*modules[i], function); });
}

build_information build_info() {
  return detail::describe_build(HORNBEAM_BUILD_VERSION, HORNBEAM_BUILD_TOOLCHAIN);
}

#define HORNBEAM_INSTANTIATE(T)                                                   \
  template HORNBEAM_API std::vector<std::string> kernels<T>(const sycl::device&); \
  template HORNBEAM_API explanation explain<T>(const sycl::device&, matmul_shape, \
                                               const matmul_options<T>&);         \
  template HORNBEAM_API void prepare<T>(sycl::queue&);
HORNBEAM_FOR_EACH_ELEMENT_TYPE(HORNBEAM_INSTANTIATE)
#undef HORNBEAM_INSTANTIATE

}  // namespace hornbeam
