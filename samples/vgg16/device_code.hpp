// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <hornbeam/matmul.hpp>
#include <map>
#include <stdexcept>
#include <string>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

#include "kernels.hpp"

#if !defined(HORNBEAM_SINGLE_SOURCE)
#include "kernels_text.hpp"
#endif

/// The kernels of kernels.hpp, ready for a queue. Where the program's compiler knows no SYCL,
/// DPC++'s runtime compiler makes them from the text of that file, which takes seconds.
class device_code {
 public:
  explicit device_code(sycl::queue queue) : queue_(std::move(queue)) { compile(); }

  /// Runs a kernel for each row and channel.
  template <class Kernel>
  void run(const Kernel& kernel, std::int32_t rows, std::int32_t channels) {
    const auto range = launch_range(rows, channels);
#if defined(HORNBEAM_SINGLE_SOURCE)
    queue_.parallel_for(range,
                        [=](sycl::nd_item<2> item) { run_at(item, kernel, rows, channels); });
#else
    queue_.submit([&](sycl::handler& handler) {
      handler.set_args(kernel, rows, channels);
      handler.parallel_for(range, compiled_.at(Kernel::name));
    });
#endif
  }

 private:
  static sycl::nd_range<2> launch_range(std::int32_t rows, std::int32_t channels) {
    constexpr std::int32_t group_size = 256;
    const std::int32_t wide = std::min(channels, group_size);
    const std::int32_t high = std::min(rows, group_size / wide);
    const sycl::range<2> group(static_cast<std::size_t>(high), static_cast<std::size_t>(wide));
    const auto round_up = [](std::int32_t size, std::size_t step) {
      return (static_cast<std::size_t>(size) + step - 1) / step * step;
    };
    return {{round_up(rows, group[0]), round_up(channels, group[1])}, group};
  }

#if defined(HORNBEAM_SINGLE_SOURCE)
  void compile() {}
#else
  void compile() {
    namespace extension = sycl::ext::oneapi::experimental;
    const char* const entry_point = R"(
template <class Kernel>
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<2>))
void run(Kernel kernel, std::int32_t rows, std::int32_t channels) {
  run_at(sycl::ext::oneapi::this_work_item::get_nd_item<2>(), kernel, rows, channels);
}
)";
    const auto function = [](const std::string& kernel) { return "run<" + kernel + ">"; };
    const std::vector<std::string> names = {im2col::name, add_bias::name, max_pool::name,
                                            softmax::name};
    extension::registered_names functions;
    for (const std::string& name : names) {
      functions.add(function(name));
    }
    auto source = extension::create_kernel_bundle_from_source(
        queue_.get_context(), extension::source_language::sycl,
        std::string(kernels_text) + entry_point);
    std::string log;
    try {
      auto built =
          extension::build(source, extension::properties{extension::build_options{"-O3"}, functions,
                                                         extension::save_log{&log}});
      for (const std::string& name : names) {
        compiled_.emplace(name, built.ext_oneapi_get_kernel(function(name)));
      }
    } catch (const sycl::exception& error) {
      throw std::runtime_error("kernels.hpp: " + (log.empty() ? error.what() : log));
    }
  }

  std::map<std::string, sycl::kernel> compiled_;
#endif

  sycl::queue queue_;
};
