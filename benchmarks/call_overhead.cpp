// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a call of matmul costs the host: the parts of it that come before the submission, and the
/// whole against a bare submission of the same kernel with the same arguments.
///
/// Rivals take turns, so that a change of the machine's pace meets them all. Prints medians over
/// rounds, and the range that the middle half of the rounds lies in.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <hornbeam/detail/data_type.hpp>
#include <hornbeam/detail/operands.hpp>
#include <hornbeam/detail/select.hpp>
#include <hornbeam/matmul.hpp>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

#include "kernel_cache.hpp"
#include "launch.hpp"

namespace {

namespace detail = hornbeam::detail;
using hornbeam::matmul_options;
using hornbeam::matmul_shape;

constexpr const char* function = "matmul";
constexpr int rounds = 41;
constexpr int calls = 400;  // per round: long against the clock's resolution

/// Sizes that go different ways through the tree. Few enough elements for the device to be faster
/// than the host, so that no queue fills up.
const std::vector<matmul_shape> shapes = {{1, 1, 1}, {8, 8, 8}, {1, 64, 16}, {64, 1, 16}};

/// One thing to time, for one of the shapes.
struct contestant {
  std::string name;
  std::function<void(const matmul_shape&)> call;
  std::function<void()> finish;    ///< after the clock was stopped
  std::vector<double> times = {};  ///< seconds per call, one a round
};

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

/// Times the host's part only: the device may still be at work when the clock stops.
void take_turns(std::vector<contestant>& all) {
  for (int round = -1; round < rounds; ++round) {  // the first warms up
    for (auto& one : all) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < calls; ++i) one.call(shapes[static_cast<std::size_t>(i) % shapes.size()]);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      one.finish();
      if (round >= 0) one.times.push_back(time.count() / calls);
    }
  }
}

void print(const std::string& name, const std::vector<double>& times, double unit,
           const char* symbol) {
  std::printf("%-58s %9.3f %s   (%.3f to %.3f)\n", name.c_str(), quantile(times, 0.5) / unit,
              symbol, quantile(times, 0.25) / unit, quantile(times, 0.75) / unit);
}

/// Differences between two contestants in the same round.
std::vector<double> differences(const contestant& x, const contestant& y) {
  std::vector<double> result;
  for (std::size_t i = 0; i < x.times.size(); ++i) result.push_back(x.times[i] - y.times[i]);
  return result;
}

void print_conditions(const sycl::device& device) {
  double load = 0;
  if (getloadavg(&load, 1) != 1) load = -1;
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::printf("%s, driver %s, %s, load %.1f; medians of %d rounds of %d calls\n\n",
              device.get_info<sycl::info::device::name>().c_str(),
              device.get_info<sycl::info::device::driver_version>().c_str(), date, load, rounds,
              calls);
}

/// Keeps the compiler from dropping what nobody looks at.
template <class Value>
void use(const Value& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

void run() {
  sycl::queue queue{sycl::default_selector_v, sycl::property::queue::in_order()};
  const auto device = queue.get_device();
  float* const data = sycl::malloc_shared<float>(3 * 4096, queue);
  std::fill(data, data + 3 * 4096, 1.0F);
  const float *a = data, *b = data + 4096;
  float* const c = data + 8192;
  hornbeam::prepare<float>(queue);
  print_conditions(device);

  const matmul_options<float> options;
  auto& ready = detail::kernels_for(queue.get_context(), device);
  const auto& table = detail::table_for(ready.built_for(), "float", function);
  const auto check = [&](const matmul_shape& shape) {
    return detail::check_call(function, a, b, c, shape, options);
  };
  const auto select = [&](const detail::checked_call<float>& call) {
    return detail::select_kernel(table, call.size(), call.has_product(), nullptr, function);
  };
  const detail::usm_operands<float> operands(a, b, c, {});
  const auto nothing = [] {};
  std::vector<contestant> parts = {
      {"check sizes, leading dimensions, strides", [&](const auto& shape) { use(check(shape)); },
       nothing},
      {"the same, and select", [&](const auto& shape) { use(select(check(shape))); }, nothing},
      {"the first, and that three pointers are USM of the context",
       [&](const auto& shape) { operands.check(function, check(shape), ready); }, nothing},
      {"find what is ready for the queue's context and device",
       [&](const auto&) { use(detail::kernels_for(queue.get_context(), queue.get_device())); },
       nothing},
  };
  take_turns(parts);
  for (const auto& part : parts) print(part.name, part.times, 1e-9, "ns");

  struct submission {
    detail::checked_call<float> call;
    detail::launch_geometry geometry;
    const detail::ready_kernel* kernel;
  };
  std::vector<submission> submissions;
  for (const auto& shape : shapes) {
    const auto call = check(shape);
    const auto& kernel = table.kernels[select(call).kernel];
    submissions.push_back({call, detail::geometry_for(kernel, call),
                           &ready.get(*kernel.entries[call.transposes()], function)});
  }
  const auto bare = [&](const matmul_shape& shape) {
    const auto& x = submissions[static_cast<std::size_t>(&shape - shapes.data())];
    detail::launch(queue, *x.kernel, x.geometry, detail::one_step(), x.call.arguments, x.call.batch,
                   std::vector<sycl::event>{});
  };
  std::vector<contestant> whole = {
      {"bare submission", bare, [&] { queue.wait(); }},
      {"matmul", [&](const auto& shape) { hornbeam::matmul(queue, a, b, c, shape, options); },
       [&] { queue.wait(); }},
  };
  take_turns(whole);
  std::printf("\n");
  for (const auto& one : whole) print(one.name, one.times, 1e-6, "us");
  print("matmul beyond the bare submission", differences(whole[1], whole[0]), 1e-6, "us");
  sycl::free(data, queue);
}

}  // namespace

int main() {
  try {
    run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
