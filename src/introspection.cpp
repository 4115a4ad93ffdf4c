// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <hornbeam/detail/check_call.hpp>
#include <hornbeam/detail/data_type.hpp>
#include <hornbeam/detail/element_types.hpp>
#include <hornbeam/detail/select.hpp>
#include <hornbeam/introspection.hpp>
#include <iterator>
#include <limits>
#include <sycl/context.hpp>
#include <thread>

#include "kernel_cache.hpp"
#include "target.hpp"

namespace hornbeam {
namespace {

std::vector<std::string> kernel_ids(const detail::selection_table& table) {
  std::vector<std::string> ids;
  ids.reserve(table.kernel_count);
  for (std::size_t i = 0; i < table.kernel_count; ++i) ids.emplace_back(table.kernels[i].id);
  return ids;
}

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
  return kernel_ids(
      detail::table_for(detail::target_for(device), detail::data_type<T>::name, "kernels"));
}

template <class T>
explanation explain(const sycl::device& device, matmul_shape shape,
                    const matmul_options<T>& options) {
  constexpr const char* function = "explain";
  const auto call = detail::check_call<T>(function, nullptr, nullptr, nullptr, shape, options);
  const auto& known = detail::served(device);
  const auto& target = *known.chosen;
  const auto& table = detail::table_for(target, detail::data_type<T>::name, function);
  const std::string* forced = options.kernel ? &*options.kernel : nullptr;
  const auto choice =
      detail::select_kernel(table, call.size(), call.has_product(), forced, function);
  const bool measured = choice.reason != nullptr;
  return {table.kernels[choice.kernel].id,
          measured ? choice.reason->path : "",
          measured ? choice.reason->expected_share : std::numeric_limits<double>::quiet_NaN(),
          target.key,
          target.dataset_key,
          known.match,
          known.key};
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
  build_information info{HORNBEAM_BUILD_VERSION, HORNBEAM_BUILD_TOOLCHAIN, {}};
  for (std::size_t t = 0; t < detail::target_count; ++t) {
    const detail::target& built = detail::targets[t];
    target_information target{built.key, built.dataset_key, built.match, {}};
    for (std::size_t i = 0; i < built.table_count; ++i) {
      const detail::selection_table& table = built.tables[i];
      target.selections.push_back({table.data_type, kernel_ids(table), table.held_out_share,
                                   table.dataset_digest, table.note});
    }
    info.targets.push_back(std::move(target));
  }
  return info;
}

#define HORNBEAM_INSTANTIATE(T)                                                                 \
  template std::vector<std::string> kernels<T>(const sycl::device&);                            \
  template explanation explain<T>(const sycl::device&, matmul_shape, const matmul_options<T>&); \
  template void prepare<T>(sycl::queue&);
HORNBEAM_FOR_EACH_ELEMENT_TYPE(HORNBEAM_INSTANTIATE)
#undef HORNBEAM_INSTANTIATE

}  // namespace hornbeam
